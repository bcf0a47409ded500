/** Node's modules and globals. The order of the imports is that in which they need each other. */
import { builtins, endRequire } from "./builtins.js";
import events from "./events.js";
import buffer from "./buffer.js";
import "./early.js";
import { globals as targets, listenersOf } from "./event_target.js";
import path from "./path.js";
import util from "./util.js";
import stream, { consumers } from "./stream.js";
import process, {
  endProgram,
  forgetProgram,
  onFailure,
  onRejectionHandled,
  onUncaughtException,
  onUnhandledRejection,
  readStdin,
  startProcess,
  stdinBytes,
  takenStream,
  takeSignals,
} from "./process.js";
import * as webStreams from "web-streams-polyfill";
import { globals as codecs } from "./text_streams.js";
import { showWebStreams } from "./web_streams.js";
import { globals as fetches } from "./fetch.js";
import { globals as messages, installMessages } from "./messages/mod.js";
import { failedIn, installContexts } from "./async_context.js";
import { Atomics } from "./atomics.js";
import { Blob, File } from "./blob.js";
import fs, { promises } from "./fs.js";
import querystring from "./querystring.js";
import string_decoder from "./string_decoder.js";
import url, { punycode } from "./url.js";
import assert from "./assert.js";
import readline, { promises as readlinePromises } from "./readline.js";
import crypto from "./crypto.js";
import { CryptoKey, subtle } from "./subtle.js";
import zlib, { globals as compression } from "./zlib.js";
import http from "./http/mod.js";
import absent from "./absent.js";
import net from "./net/mod.js";
import { handChildrenOver } from "./children.js";
import { endServers } from "./net/ports.js";
import { globals as navigators } from "./navigator.js";
import { diagnosticsChannel } from "./diagnostics_channel.js";
import { os } from "./os.js";
import { perfHooks } from "./perf_hooks.js";
import { asyncHooks, moduleOf, tty, v8 } from "./small.js";
import { timers } from "./timers.js";
import childProcess from "./child_process.js";
import test, { testBy } from "./test.js";
import { dropTicks, nextTick, runTicks } from "./ticks.js";
import { invalidArgType, invalidArgValue } from "./errors.js";
import { installIntl } from "./intl.js";
import vm from "./vm.js";
import { endThreads, installThreads, workerThreads } from "./worker_threads.js";
import { platform, setRuntime } from "./runtime.js";
import { releaseKept, WeakRef } from "./weak_refs.js";

showWebStreams(webStreams);
const STREAMS = Object.fromEntries(Object.entries(webStreams).filter(([name]) => /^[A-Z]/.test(name)));
/** Globals that the prelude makes, and libraries use. */
const OF_THE_PRELUDE = "clearInterval clearTimeout crypto performance setImmediate setInterval setTimeout"
  .split(" ");
const webGlobals = { ...STREAMS, ...codecs, ...compression };

export function install(host, hooks) {
  setRuntime(host, hooks);
  installContexts();
  endRequire();
  Object.assign(hooks, {
    nextTick,
    notName: (id) =>
      id === ""
        ? invalidArgValue("id", id, "must be a non-empty string")
        : invalidArgType("id", "string", id),
    notFunction: (callback) => invalidArgType("callback", "Function", callback),
    runTicks() {
      releaseKept();
      return runTicks();
    },
    readStdin,
    stdinBytes,
    listenersOf,
    endProgram,
    onFailure,
    onRejectionHandled,
    onUncaughtException,
    onUnhandledRejection,
    startProcess,
    takenStream,
    takeSignals,
    testBy,
    utilInspect: util.inspect,
    warn: (text) => process.emitWarning(text),
  });
  hooks.DOMException = targets.DOMException;
  const globals = {
    Atomics,
    WeakRef,
    process,
    Buffer: buffer.Buffer,
    Blob,
    CryptoKey,
    File,
    ...targets,
    ...webGlobals,
    ...messages,
    ...fetches,
    ...navigators,
  };
  Object.assign(platform, globals);
  for (const name of OF_THE_PRELUDE) platform[name] = globalThis[name];
  Object.assign(platform, hooks.librariesTimers);
  for (const [name, value] of Object.entries(globals)) hooks.define(name, value);
  Object.assign(buffer, { atob: globalThis.atob, btoa: globalThis.btoa });
  Object.assign(util, { TextEncoder: globalThis.TextEncoder, TextDecoder: globalThis.TextDecoder });
  Object.assign(url, { URL: globalThis.URL, URLSearchParams: globalThis.URLSearchParams });
  Object.defineProperty(globalThis.crypto, "subtle", {
    value: subtle,
    writable: true,
    configurable: true,
    enumerable: true,
  });
  installIntl(hooks.define);
  installMessages();
  installThreads();
  const [timersModule, timersPromises] = timers();
  const modules = {
    assert,
    "assert/strict": assert.strict,
    async_hooks: asyncHooks,
    buffer,
    child_process: childProcess,
    console: globalThis.console,
    crypto,
    constants: { ...fs.constants, ...os.constants.errno, ...os.constants.signals },
    diagnostics_channel: diagnosticsChannel,
    events,
    fs,
    "fs/promises": promises,
    http,
    net,
    os,
    path,
    "path/posix": path.posix,
    "path/win32": path.win32,
    perf_hooks: perfHooks(),
    process,
    punycode,
    querystring,
    readline,
    "readline/promises": readlinePromises,
    stream,
    "stream/promises": stream.promises,
    "stream/consumers": consumers,
    "stream/web": webGlobals,
    string_decoder,
    sys: util,
    test,
    timers: timersModule,
    "timers/promises": timersPromises,
    tty,
    url,
    util,
    "util/types": util.types,
    v8,
    vm,
    worker_threads: workerThreads,
    zlib,
    ...absent,
  };
  const named = [...Object.keys(modules), "module"].filter((name) => name !== "test").sort();
  modules.module = moduleOf(named);
  Object.assign(hooks.modules, modules);
  const { dropTimers, endGroups } = hooks;
  hooks.endGroups = () => {
    forgetProgram();
    endServers();
    endThreads();
    failedIn();
    hooks.dropIdleTimers();
    endGroups();
    handChildrenOver();
  };
  hooks.dropTimers = () => {
    dropTicks();
    return dropTimers();
  };
  hooks.onStart(startProcess);
  void builtins;
}
