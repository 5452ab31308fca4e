import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, pino, stdTimeFunctions } from 'pino';
import { createLogOutput } from './log-output.ts';
import { StorageUnavailable } from './storage.ts';

/**
 * Fields that a line may have, and what their values are. A new field is a decision about privacy: content from users
 * and secrets don't belong in the log.
 *
 * `word`: an id or a term of the program or an interface, without spaces. `text`: a sentence of the program, or an error
 * text of Redis, Telegram, the service or the system.
 */
const FIELDS = {
  update: 'number',
  /** Telegram ids. A private chat has the id of its user. */
  chat: 'number',
  user: 'number',
  /** Account at the rental service. */
  account: 'number',
  operation: 'word',
  kind: 'word',
  /** Id of the order, invoice, withdrawal or Smart Mode address at the rental service. */
  order: 'number',
  invoice: 'word',
  broadcast: 'word',
  event: 'word',
  /** Names in the outbox. */
  notifications: 'words',
  /** Storage key. */
  key: 'word',
  job: 'word',
  check: 'word',
  /** Operation of the rental service's API, method of the Bot API, HTTP status, and code of the error. */
  endpoint: 'word',
  method: 'word',
  status: 'number',
  code: 'word',
  outcome: 'word',
  /** TRX, decimal. */
  price: 'word',
  ms: 'number',
  attempt: 'number',
  state: 'word',
  /** Fact in which a report of the service differs. */
  field: 'word',
  count: 'number',
  limit: 'number',
  isUnsent: 'boolean',
  reason: 'text',
  /** Action that the operator should take. */
  advice: 'text',
  version: 'word',
  commit: 'word',
  node: 'word',
  replica: 'word',
  mode: 'word',
  storage: 'text',
  payments: 'text',
  host: 'word',
  port: 'number',
  signal: 'word',
} as const;

type Value = { number: number; boolean: boolean; word: string; words: readonly string[]; text: string };
type Name = keyof typeof FIELDS;

/** Fields of a line. Undefined ones are left out. */
export type LogFields = { readonly [Field in Name]?: Value[(typeof FIELDS)[Field]] | undefined } & {
  readonly err?: unknown;
};

/** Rejects further fields, also those from a spread, which TypeScript doesn't check by itself. */
type OnlyLogFields<Fields> = { readonly [Field in Exclude<keyof Fields, keyof LogFields>]: never };

interface Write {
  (message: string): void;
  <Fields extends LogFields>(fields: Fields & OnlyLogFields<Fields>, message: string): void;
}

/**
 * Log of JSON lines.
 *
 * @example
 * log.warn({ chat, err }, 'a chat could not be released');
 * log.error({ err, advice: 'set REDIS_URL to the master' }, 'Redis is read-only');
 */
export interface Log {
  debug: Write;
  info: Write;
  /** For what deviates and is handled, or what an operator may want to watch. */
  warn: Write;
  /** For what an operator has to act on. */
  error<Fields extends LogFields & { advice: string }>(
    fields: Fields & OnlyLogFields<Fields>,
    message: string,
  ): void;
  /** Adds fields to all lines of `work`, including those of the modules that it calls and of what it starts. */
  withFields<T>(fields: LogFields, work: () => T): T;
}

const MASK = '***';
/** Printable ASCII without spaces. */
const WORD = /^[!-~]{1,200}$/;

/**
 * Maximum length of a text. Longer texts are cut, because content from users and the service doesn't belong in the log.
 */
const LONGEST = 4_096;
const LONGEST_SECRET = 512;

/**
 * Patterns of secrets, at any position. `$1` is the part that may stay. A pattern matches a run of characters only from
 * its beginning, so that the time is linear in the length of the line.
 */
const SECRETS: [pattern: RegExp, replacement: string][] = [
  [/(?<!\d)\d+:[A-Za-z0-9_-]{20,}/g, MASK],
  [/(\/bot)\d+:[^/\s"\\]+/g, `$1${MASK}`],
  [/whsec_[A-Za-z0-9_-]+/g, MASK],
  [/(x-api-key[\\"']*\s*[:=,]\s*[\\"']*)[^\s"'\\,}]+/gi, `$1${MASK}`],
  [/(password[\\"']*\s*[:=]\s*[\\"']*)[^\s"'\\,}]+/gi, `$1${MASK}`],
  // The bot's advice contains the example `redis://user:password@host`.
  [/((?<![a-z])[a-z]+:\/\/[^\s/@:"]*:)(?!password@host(?![\w.:-]))[^\s/@"]+@/gi, `$1${MASK}@`],
];

/**
 * Returns whether a secret can't be mistaken for a word of a text, so that it is masked wherever it occurs. Others are
 * masked by the patterns only, because `redis` as a password would make the log unreadable.
 */
export function isUnmistakable(secret: string): boolean {
  return secret.length >= 16 || (secret.length >= 8 && !/^(\p{L}+|\d+)$/u.test(secret));
}

/**
 * Fields of {@link Log.withFields} for the code that runs now. All logs of a process share it, because Node 20 copies
 * every context that was ever used to every promise.
 */
const context = new AsyncLocalStorage<LogFields>();

/**
 * Creates a log, and masks secrets in its lines. While the storage is out of service, errors about that have no stack, and a
 * warning about them is logged at most every ten seconds, with the `count` of those left out.
 * @param secrets texts that are masked in any place if they are unmistakable.
 */
export function createLog({
  level,
  stream,
  secrets = [],
}: {
  level: string;
  /** Standard output by default. */
  stream?: DestinationStream;
  secrets?: string[];
}): Log {
  const literals = secrets.filter(isUnmistakable).map((secret) => JSON.stringify(secret).slice(1, -1));
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
    hooks: { streamWrite: (line: string) => mask(line, literals) },
  };
  const lines = pino(options, stream ?? createLogOutput({ describeLoss }));
  const outageThrottle = createLogThrottle();

  /** Returns the fields of a warning, with the `count` of those like it that were left out; `undefined` to leave it out too. */
  function throttled(fields: LogFields, message: string): LogFields | undefined {
    const outage = outageOf(fields.err);
    // A caller that throttles its lines itself passes their count.
    if (outage === undefined || fields.count !== undefined) return fields;
    const omitted = outageThrottle([message, fields.job, fields.operation, outage.message].join());
    return omitted && { ...fields, ...omitted };
  }

  function writer(at: 'debug' | 'info' | 'warn' | 'error') {
    return (...args: [string] | [LogFields, string]) => {
      if (!lines.isLevelEnabled(at)) return;
      const [given, message] = args.length === 1 ? [{}, args[0]] : args;
      const all = { ...context.getStore(), ...given };
      const fields = at === 'warn' ? throttled(all, message) : all;
      if (fields) lines[at](toPlain(fields), shorten(message));
    };
  }

  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    withFields: (fields, work) => context.run({ ...context.getStore(), ...fields }, work),
  };
}

function describeLoss(count: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, count, msg: 'log lines were lost' })}\n`;
}

/** Returns the declared fields. Values of another kind, such as an object or a sentence of a user, are masked. */
function toPlain({ err, ...fields }: LogFields): Record<string, unknown> {
  const plain: Record<string, unknown> = { err };
  for (const [name, value] of Object.entries(fields)) {
    const kind = (FIELDS as Record<string, keyof Value>)[name];
    if (kind !== undefined && value !== undefined) plain[name] = fits(kind, value) ? shortened(value) : MASK;
  }
  return plain;
}

function fits(kind: keyof Value, value: unknown): boolean {
  if (kind === 'words') return Array.isArray(value) && value.every((word) => fits('word', word));
  if (kind === 'word') return typeof value === 'string' && WORD.test(value);
  return typeof value === (kind === 'text' ? 'string' : kind);
}

function shortened(value: unknown): unknown {
  return typeof value === 'string' ? shorten(value) : value;
}

/** Cuts a long text. Leaves out a word that the cut would split, because no pattern would match half a secret. */
function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const head = text.slice(0, LONGEST);
  const [broken = ''] = /\S*$/.exec(head.slice(-LONGEST_SECRET)) ?? [];
  return `${head.slice(0, LONGEST - broken.length)}…`;
}

function mask(line: string, literals: string[]): string {
  const masked = SECRETS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
  return literals.reduce((text, literal) => text.replaceAll(literal, MASK), masked);
}

/**
 * Returns the failure of the storage behind an error, which the health check of the storage reports with its advice. An
 * `ERR` of Redis may be a defect of the bot.
 */
function outageOf(error: unknown): StorageUnavailable | undefined {
  const found = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return found instanceof StorageUnavailable && !found.message.startsWith('ERR') ? found : undefined;
}

/**
 * Returns an error's name, message, code, stack and cause. Leaves out the request, response or payload of an error, and
 * the stack if the storage is out of service.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? undefined : shortened(error);
  const { name, message, stack = '' } = error;
  const code = 'code' in error && typeof error.code !== 'object' ? error.code : undefined;
  // grammY calls the cause of an HttpError `error`.
  const cause = error.cause ?? ('error' in error ? error.error : undefined);
  return {
    name,
    message: shorten(message),
    code,
    stack: outageOf(error) ? undefined : shorten(stack),
    cause: depth < 3 ? describeError(cause, depth + 1) : undefined,
  };
}

/** Advice for an exception that no operator can cause. */
export const REPORT_DEFECT =
  'If no line before it names a cause, this is a defect of the bot: report it with its stack.';

/**
 * Logs an exception: as a warning if the storage is unavailable, which is reported elsewhere, and otherwise as an error
 * to be reported to the developers.
 */
export function reportFailure<Fields extends LogFields & { err: unknown }>(
  log: Log,
  fields: Fields & OnlyLogFields<Fields>,
  message: string,
): void {
  if (fields.err instanceof StorageUnavailable) log.warn<LogFields>(fields, message);
  else log.error<LogFields & { advice: string }>({ ...fields, advice: REPORT_DEFECT }, message);
}

/** Minimum time between two lines of a kind, in milliseconds. */
const EVERY_MS = 10_000;
/** Maximum number of remembered kinds. After they are cleared, a line may be logged again too early. */
const KINDS = 1_000;

/**
 * Log throttle for errors that may occur thousands of times a second. Returns `undefined` if `reason` must not be
 * logged now. Otherwise returns the `count` of lines omitted since the last one. Reasons that differ only in numbers
 * are the same.
 */
type LogThrottle = (reason: string) => { count?: number } | undefined;

/** Creates a log throttle. `now` is in milliseconds from any origin. */
export function createLogThrottle({
  now = () => performance.now(),
}: {
  now?: () => number;
} = {}): LogThrottle {
  const said = new Map<string, { at: number; left: number }>();
  return (reason) => {
    const kind = reason.replace(/[\da-f]{16,}|\d+/g, '#');
    const before = said.get(kind);
    if (before && now() - before.at < EVERY_MS) {
      before.left += 1;
      return undefined;
    }
    if (said.size >= KINDS) said.clear();
    said.set(kind, { at: now(), left: 0 });
    return before && before.left > 0 ? { count: before.left } : {};
  };
}
