import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export type Log = Logger;

/** What a line may carry. A field that isn't here is dropped: adding one is a decision about privacy. */
const FIELDS = new Set(
  [
    ['level', 'time', 'msg', 'err'],
    ['update', 'chat', 'user', 'message', 'command', 'flow', 'step', 'locale', 'role'],
    [
      'operation',
      'order',
      'invoice',
      'subscription',
      'withdrawal',
      'delivery',
      'account',
      'notice',
      'broadcast',
    ],
    [
      'job',
      'method',
      'endpoint',
      'route',
      'path',
      'status',
      'code',
      'outcome',
      'state',
      'kind',
      'event',
      'name',
    ],
    ['reason', 'field', 'ms', 'attempt', 'attempts', 'count', 'from', 'to', 'limit', 'remaining', 'signal'],
    ['host', 'port', 'version', 'node', 'mode', 'storage'],
  ].flat(),
);

const MASK = '***';

/** Of longer texts the rest is left out: what people and the service write is no business of the log. */
const LONGEST = 4_096;
const LONGEST_SECRET = 512;

/**
 * What looks like a secret, wherever it stands; `$1` is what may stay. A run that a pattern begins with is looked at from
 * its beginning alone, so that a line takes as long as it is.
 */
const SECRETS: [pattern: RegExp, replacement: string][] = [
  [/(?<!\d)\d+:[A-Za-z0-9_-]{20,}/g, MASK],
  [/(\/bot)\d+:[^/\s"\\]+/g, `$1${MASK}`],
  [/whsec_[A-Za-z0-9_-]+/g, MASK],
  [/(x-api-key[\\"']*\s*[:=,]\s*[\\"']*)[^\s"'\\,}]+/gi, `$1${MASK}`],
  [/((?<![a-z])[a-z]+:\/\/[^\s/@:"]*:)[^\s/@"]+@/gi, `$1${MASK}@`],
];

/**
 * A log of JSON lines: fields of the allow-list only, and nothing in them that looks like a secret.
 * @param secrets texts that never appear, whatever they look like.
 */
export function createLog({ level, stream, secrets = [] }: LogOptions): Log {
  const literals = secrets.filter(Boolean).map((secret) => JSON.stringify(secret).slice(1, -1));
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
    // The one place that every line passes, with the fields of child logs and of plain messages.
    hooks: { streamWrite: (line: string) => `${mask(keepAllowed(line), literals)}\n` },
  };
  return stream ? pino(options, stream) : pino(options);
}

interface LogOptions {
  level: string;
  /** Standard output by default. */
  stream?: DestinationStream;
  secrets?: string[];
}

function keepAllowed(line: string): string {
  const shortened = JSON.parse(line, (_, value) => (typeof value === 'string' ? shorten(value) : value));
  const fields = Object.entries(shortened as Record<string, unknown>);
  return JSON.stringify(
    Object.fromEntries(
      fields.filter(([name, value]) => FIELDS.has(name) && (name === 'err' || !isNested(value))),
    ),
  );
}

/** A word that the cut goes through is left out whole: half a secret would not be known as one. */
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

/** Name, message, code, stack and what caused it: never the request, the answer or the payload an error carries. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return isNested(error) ? undefined : error;
  const { name, message, stack } = error;
  const code = 'code' in error && !isNested(error.code) ? error.code : undefined;
  // grammY calls the cause of an HttpError `error`.
  const cause = error.cause ?? ('error' in error ? error.error : undefined);
  return { name, message, code, stack, cause: depth < 3 ? describeError(cause, depth + 1) : undefined };
}

/** One line of a kind within this time, in milliseconds. */
const EVERY_MS = 10_000;
/** Kinds that are kept in mind; what forgets them all is at worst said once more. */
const KINDS = 1_000;

/**
 * For what can go wrong a thousand times a second: answers whether `reason` is to be said now, with the `count` of
 * those that were left out since it was said last. Reasons that differ in numbers alone are one.
 */
type Quiet = (reason: string) => { count?: number } | undefined;

/** `now` in milliseconds, from any beginning. */
export function createQuiet({ now = () => performance.now() }: { now?: () => number } = {}): Quiet {
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
