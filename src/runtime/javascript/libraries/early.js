/** What packages of these libraries require while they are evaluated. */
import events from "./events.js";
import buffer from "./buffer.js";
import { builtins, process } from "./builtins.js";
import { nextTick } from "./ticks.js";

process.nextTick = (callback, ...args) => nextTick(callback, args);
Object.assign(builtins, { events, buffer, process });
