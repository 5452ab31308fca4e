import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { createLogOutput } from './log-output.ts';

export type Log = Logger;

/** Fields that a line may have. Other fields are dropped: adding one is a decision about privacy. */
const FIELDS = new Set(
  [
    'level time msg err',
    'update chat user message command flow step locale role',
    'operation order invoice subscription withdrawal delivery account notice broadcast',
    'job method endpoint route path status code outcome state kind event name',
    'reason field ms attempt attempts count from to limit remaining signal',
    'host port version node mode storage',
  ].flatMap((names) => names.split(' ')),
);

const MASK = '***';

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
  [/((?<![a-z])[a-z]+:\/\/[^\s/@:"]*:)[^\s/@"]+@/gi, `$1${MASK}@`],
];

/**
 * Creates a log of JSON lines with allow-listed fields only, and masks secrets in them.
 * @param secrets texts that are masked whatever their form.
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
  const literals = secrets.filter(Boolean).map((secret) => JSON.stringify(secret).slice(1, -1));
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
    // Every line passes through here, with the fields of child logs and plain messages.
    hooks: { streamWrite: (line: string) => `${mask(keepAllowed(line), literals)}\n` },
  };
  return pino(options, stream ?? createLogOutput({ describeLoss }));
}

function describeLoss(count: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, count, msg: 'log lines were lost' })}\n`;
}

function keepAllowed(line: string): string {
  const shortened = JSON.parse(line, (_, value) => (typeof value === 'string' ? shorten(value) : value));
  const fields = Object.entries(shortened as Record<string, unknown>);
  const allowed = fields.filter(([name, value]) => FIELDS.has(name) && (name === 'err' || !isNested(value)));
  return JSON.stringify(Object.fromEntries(allowed));
}

/** Cuts a long text. Leaves out a word that the cut would split, because no pattern would match half a secret. */
function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const head = text.slice(0, LONGEST);
  const [broken = ''] = /\S*$/.exec(head.slice(-LONGEST_SECRET)) ?? [];
  return `${head.slice(0, LONGEST - broken.length)}…`;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function mask(line: string, literals: string[]): string {
  const masked = SECRETS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
  return literals.reduce((text, literal) => text.replaceAll(literal, MASK), masked);
}

/** Returns an error's name, message, code, stack and cause. Leaves out the request, response or payload of an error. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return isNested(error) ? undefined : error;
  const { name, message, stack } = error;
  const code = 'code' in error && !isNested(error.code) ? error.code : undefined;
  // grammY calls the cause of an HttpError `error`.
  const cause = error.cause ?? ('error' in error ? error.error : undefined);
  return { name, message, code, stack, cause: depth < 3 ? describeError(cause, depth + 1) : undefined };
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
