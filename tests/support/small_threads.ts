/** What is loaded before each file of tests: the threads of `deno test` have 2 MiB, half of what executors' Workers have. */

import { limitHostStack } from "../../src/host_stack.ts";

limitHostStack(1600);
