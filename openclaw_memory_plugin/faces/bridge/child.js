/**
 * One Python process, spoken to in newline-delimited JSON-RPC 2.0 over its stdio.
 *
 * It is spawned by the first call, respawned by later ones with a growing pause between attempts, ended with this
 * process, and killed when it answers neither a call nor a ping in time.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const PING_MS = 1_000;
const LEAVE_MS = 1_500;
const LONGEST_REASON = 300;

/** @typedef {{warn?: (text: string) => void, debug?: (text: string) => void}} Logger */

export class Child {
  /** @param {{command: string, args: string[], logger: Logger}} how */
  constructor({ command, args, logger }) {
    this.command = command;
    this.args = args;
    this.logger = logger;
    /** @type {import("node:child_process").ChildProcess | null} */
    this.process = null;
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void, timer: NodeJS.Timeout}>} */
    this.pending = new Map();
    this.lastId = 0;
    this.failures = 0;
    this.notBefore = 0;
    this.complaint = "";
  }

  /**
   * Call one method and wait at most `timeoutMs` for its answer.
   * @param {string} method
   * @param {object} params
   * @param {number} timeoutMs
   * @returns {Promise<any>}
   */
  call(method, params, timeoutMs) {
    const child = this.#running();
    if (!child) return Promise.reject(new Error(this.complaint || "the memory process is not running"));
    return this.#send(child, method, params, timeoutMs).catch((error) => {
      if (error.timedOut) this.#check(child);
      throw error;
    });
  }

  /** Let the process finish what it does and leave; end it when it does not. */
  async stop() {
    const child = this.process;
    if (!child) return;
    this.process = null;
    this.#abandon("the host is stopping");
    child.ref();
    await new Promise((left) => {
      const impatient = setTimeout(() => child.kill("SIGTERM"), LEAVE_MS);
      const desperate = setTimeout(() => child.kill("SIGKILL"), 2 * LEAVE_MS);
      child.once("exit", () => {
        clearTimeout(impatient);
        clearTimeout(desperate);
        left(undefined);
      });
      child.stdin?.end();
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) child.emit("exit");
    });
  }

  #running() {
    if (this.process) return this.process;
    if (Date.now() < this.notBefore) return null;
    const child = spawn(this.command, this.args, { stdio: ["pipe", "pipe", "pipe"] });
    this.process = child;
    let lastWords = "";
    const lost = (/** @type {string} */ why) => {
      if (this.process !== child) return;
      this.process = null;
      this.failures += 1;
      this.notBefore = Date.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.failures);
      this.#abandon(lastWords ? `${why}: ${lastWords}` : why);
    };
    child.on("error", (error) => lost(error.message));
    child.on("exit", (code, signal) => lost(`the memory process ended (${signal ?? code})`));
    child.stdin.on("error", () => {});
    createInterface({ input: child.stderr }).on("line", (line) => {
      lastWords = line.slice(0, LONGEST_REASON);
      this.logger.debug?.(`memory: ${lastWords}`);
    });
    createInterface({ input: child.stdout }).on("line", (line) => this.#receive(line));
    const reap = () => child.kill("SIGTERM");
    process.once("exit", reap);
    child.once("exit", () => process.removeListener("exit", reap));
    for (const handle of [child, child.stdin, child.stdout, child.stderr]) /** @type {any} */ (handle).unref?.();
    return child;
  }

  /**
   * @param {import("node:child_process").ChildProcess} child
   * @param {string} method
   * @param {object} params
   * @param {number} timeoutMs
   */
  #send(child, method, params, timeoutMs) {
    const id = (this.lastId += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(Object.assign(new Error(`no answer to ${method} within ${timeoutMs} ms`), { timedOut: true }));
      }, timeoutMs);
      this.pending.set(id, { resolve, reject, timer });
      child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  /** @param {string} line */
  #receive(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    const waiting = this.pending.get(message.id);
    if (!waiting) return;
    this.pending.delete(message.id);
    clearTimeout(waiting.timer);
    this.failures = 0;
    this.complaint = "";
    if (message.error) waiting.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    else waiting.resolve(message.result);
  }

  /**
   * A late answer may be a busy process or a hung one: only a hung one does not answer a ping.
   * @param {import("node:child_process").ChildProcess} child
   */
  #check(child) {
    if (this.process !== child) return;
    this.#send(child, "ping", {}, PING_MS).catch((error) => {
      if (error.timedOut && this.process === child) child.kill("SIGKILL");
    });
  }

  /** @param {string} why */
  #abandon(why) {
    this.complaint = why;
    for (const waiting of this.pending.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(new Error(why));
    }
    this.pending.clear();
  }
}
