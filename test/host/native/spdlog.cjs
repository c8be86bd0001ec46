// Stands in for VS Code's native file logger, which would need a compiler: without it every log channel stays empty.
const { appendFileSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');

const off = 6;
const levelNames = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  #file;
  #level = 2;
  #withTime = true;

  /** @param {string} _type @param {string} _name @param {string} file */
  constructor(_type, _name, file) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    // VS Code offers a channel only once its file exists.
    appendFileSync(file, '');
  }

  /** @param {string} message */
  trace(message) {
    this.#write(0, message);
  }
  /** @param {string} message */
  debug(message) {
    this.#write(1, message);
  }
  /** @param {string} message */
  info(message) {
    this.#write(2, message);
  }
  /** @param {string} message */
  warn(message) {
    this.#write(3, message);
  }
  /** @param {string} message */
  error(message) {
    this.#write(4, message);
  }
  /** @param {string} message */
  critical(message) {
    this.#write(5, message);
  }

  getLevel() {
    return this.#level;
  }
  /** @param {number} level */
  setLevel(level) {
    this.#level = level;
  }
  // VS Code only ever sets the one pattern that #write has built in.
  setPattern() {
    this.#withTime = true;
  }
  clearFormatters() {
    this.#withTime = false;
  }
  // Every line is written at once.
  flush() {
    return undefined;
  }
  drop() {
    this.#level = off;
  }

  /** @param {number} level @param {string} message */
  #write(level, message) {
    if (level < this.#level) return;
    appendFileSync(this.#file, this.#withTime ? `${localTime()} [${levelNames[level]}] ${message}\n` : message);
  }
}

/** Like 2026-01-31 09:05:00.007, in local time as the native logger writes it. */
function localTime() {
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return local.toISOString().replace('T', ' ').replace('Z', '');
}

/** @param {string} name @param {string} file */
async function createLogger(name, file) {
  return new Logger('rotating', name, file);
}

exports.version = 0;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
