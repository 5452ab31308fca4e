import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isUnmistakable } from './platform/log.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
/** Variables whose value can be in the file that `NAME_FILE` names. */
const SECRETS = ['BOT_TOKEN', 'RENTAL_API_KEY', 'REDIS_URL', 'SECRET_KEY'];
/**
 * Minimum number of different bytes in a key. Of 32 random bytes about 30 differ; fewer suggest zeros or a repeated
 * pattern.
 */
const MIN_DIFFERENT_BYTES = 20;

const secretKey = z
  .base64()
  .transform((text): Uint8Array => new Uint8Array(Buffer.from(text, 'base64')))
  .refine((bytes) => bytes.length === 32 && new Set(bytes).size >= MIN_DIFFERENT_BYTES);
const telegramId = matching(/^\d+$/).transform(Number).pipe(z.int().positive());
const portSchema = matching(/^\d+$/).transform(Number).pipe(z.int().max(65_535));
const PORT_EXPECTED = 'a number from 0 to 65535';
const hostSchema = matching(/^[\w.:-]+$/);
const HOST_EXPECTED = 'a host name or an IP address to listen on';
/** URL to which secrets may be sent. It has only scheme, host, port and path. */
const safeUrl = urlSchema((url) => isSafe(url) && isBare(url));

/** Environment variable of each setting, and the text after "expected" in its error line. */
const variables = z.registry<{ variable: string; expected: string }>();

function setting<Schema extends z.ZodType>(variable: string, expected: string, schema: Schema): Schema {
  variables.add(schema, { variable, expected });
  return schema;
}

const settings = z.object({
  botToken: setting(
    'BOT_TOKEN',
    'the token from @BotFather, digits:letters',
    matching(/^\d+:[A-Za-z0-9_-]{20,}$/),
  ),
  /** `{base_url}` of the specification. */
  rentalApiUrl: setting(
    'RENTAL_API_URL',
    "the rental service's https:// address (http:// only on loopback), without query or password",
    safeUrl,
  ),
  rentalApiKey: setting(
    'RENTAL_API_KEY',
    'an API key of the rental service, without spaces',
    matching(/^[\x21-\x7e]+$/).optional(),
  ),
  redisUrl: setting(
    'REDIS_URL',
    "redis:// or rediss:// and a host, with a number as the database, and %XX for the password's special characters",
    z
      .url({ protocol: /^rediss?$/ })
      .refine(isRedisUrl)
      .optional(),
  ),
  /** 32 bytes each, newest first. Empty if no data outlives the process. */
  secretKeys: setting(
    'SECRET_KEY',
    '32 random bytes as base64 (openssl rand -base64 32); several are separated by commas, newest first, each once',
    listOf(secretKey)
      .refine((keys) => new Set(keys.map(String)).size === keys.length)
      .default([]),
  ),
  adminIds: setting(
    'ADMIN_IDS',
    'numeric Telegram ids, separated by commas',
    listOf(telegramId)
      .default([])
      .transform((ids): ReadonlySet<number> => new Set(ids)),
  ),
  /** May have a path if a proxy serves this server below that path and strips it. */
  publicUrl: setting(
    'PUBLIC_URL',
    'the https:// address of this server (http:// only on loopback), without query or password',
    safeUrl.optional(),
  ),
  /** 0 selects any free port. */
  port: setting('PORT', PORT_EXPECTED, portSchema.default(8080)),
  host: setting('HOST', HOST_EXPECTED, hostSchema.default('0.0.0.0')),
  /** Metrics aren't served without a port. 0 selects any free one. */
  metricsPort: setting('METRICS_PORT', PORT_EXPECTED, portSchema.optional()),
  metricsHost: setting('METRICS_HOST', HOST_EXPECTED, hostSchema.default('127.0.0.1')),
  /** A self-hosted Bot API server uses plain http: https://github.com/tdlib/telegram-bot-api */
  telegramApiRoot: setting(
    'TELEGRAM_API_ROOT',
    'an https:// or http:// address of a Bot API server',
    urlSchema((url) => /^https?:$/.test(url.protocol) && isBare(url)).default('https://api.telegram.org'),
  ),
  supportUrl: setting(
    'SUPPORT_URL',
    'an https:// or tg:// address',
    urlSchema(({ protocol }) => /^(https?|tg):$/.test(protocol)).optional(),
  ),
  accountUrl: setting(
    'ACCOUNT_URL',
    'an https:// address where users open an account at the rental service',
    urlSchema(({ protocol }) => protocol === 'https:').optional(),
  ),
  /** Template of pages of a blockchain explorer. `{kind}` is `address` or `transaction`. */
  explorerUrl: setting(
    'EXPLORER_URL',
    'an https:// address with {kind} (address or transaction) and {id}, like https://tronscan.org/#/{kind}/{id}',
    urlSchema(({ protocol }) => protocol === 'https:')
      .refine((text) => text.includes('{kind}') && text.includes('{id}'))
      .default('https://tronscan.org/#/{kind}/{id}'),
  ),
  signatureHeader: setting(
    'RENTAL_WEBHOOK_SIGNATURE_HEADER',
    'the name of an HTTP header',
    matching(/^[A-Za-z0-9-]+$/).default('X-Webhook-Signature'),
  ),
  /** Daily limit of withdrawals from an account without two-factor codes, in TRX, decimal; 0 forbids them. */
  withdrawCapTrx: setting(
    'WITHDRAW_CAP_TRX',
    'an amount of TRX, like 1000; 0 forbids withdrawals without two-factor codes',
    matching(/^\d{1,12}(\.\d{1,6})?$/).default('1000'),
  ),
  logLevel: setting('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`, z.enum(LOG_LEVELS).default('info')),
});

/** Configuration of the app. HTTP URLs have no trailing slashes. */
export type Config = z.output<typeof settings>;
type Setting = keyof Config;
const NAMES = Object.keys(settings.shape) as Setting[];
/** Environment variables of all settings. */
export const VARIABLES = NAMES.map((name) => variableOf(name).variable);

/** Error for an invalid environment. Has a line per fault, which names the variable and never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: string[];

  constructor(faults: string[], hints: string[] = []) {
    super([...faults, ...hints].join('\n'));
    this.faults = faults;
  }
}

/** Follows the faults if a variable is missing: a shell doesn't pass on lines that it can't read. */
const MISSING_HINT =
  'All variables are in .env.example. Write an environment file as NAME=value, without spaces around "=", in UTF-8 without BOM.';

/**
 * Reads the environment. An empty variable counts as unset. A secret can be in the file that `NAME_FILE` names.
 * @throws {ConfigError} with every fault at once.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults = new Map<string, string>();
  const values: Partial<Record<Setting, string>> = {};
  for (const fault of misspeltNames(env)) addFault(...fault);
  for (const name of NAMES) {
    const { variable } = variableOf(name);
    const value = SECRETS.includes(variable) ? readSecret(env, variable, faults) : env[variable]?.trim();
    values[name] = value || undefined;
    const leftover = value && leftoverOf(value);
    if (leftover) addFault(variable, `not valid, expected the value without ${leftover}`);
  }

  const parsed = settings.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const name = issue.path[0] as Setting;
    const { variable, expected } = variableOf(name);
    addFault(variable, `${values[name] ? 'not valid' : 'missing'}, expected ${expected}`);
  }
  const { rentalApiUrl: rental, redisUrl, publicUrl, secretKeys } = values;
  const needsRedis = !(rental && URL.canParse(rental) && isLoopback(new URL(rental)));
  if (needsRedis && !redisUrl)
    addFault(
      'REDIS_URL',
      `missing, required unless RENTAL_API_URL is on loopback, expected ${variableOf('redisUrl').expected}`,
    );
  const variableNeedingKey = needsRedis || redisUrl ? 'REDIS_URL' : publicUrl && 'PUBLIC_URL';
  if (variableNeedingKey && !secretKeys) {
    addFault(
      'SECRET_KEY',
      `missing, required with ${variableNeedingKey}, expected ${variableOf('secretKeys').expected}`,
    );
  }
  if (!parsed.success || faults.size > 0) {
    const lines = [...faults.values()];
    const hints = lines.some((line) => line.includes(': missing')) ? [MISSING_HINT] : [];
    throw new ConfigError(lines, [...mistypedNames(env), ...hints]);
  }
  return parsed.data;

  function addFault(variable: string, fault: string): void {
    if (!faults.has(variable)) faults.set(variable, `${variable}: ${fault}`);
  }
}

/** Returns what an environment file has around a value, if its reader didn't remove that. */
function leftoverOf(value: string): string | undefined {
  if (/^(["']).*\1$/.test(value)) return 'quotes';
  return /\s#/.test(value) ? 'a comment behind it' : undefined;
}

/** Finds variables whose names a reader of an environment file has left with other signs around them. */
function misspeltNames(env: NodeJS.ProcessEnv): [variable: string, fault: string][] {
  const known = new Set(VARIABLES);
  return Object.keys(env).flatMap((given) => {
    // Also removes a BOM.
    const name = given.trim().replace(/^export\s+/, '');
    if (name === given || !known.has(name.replace(/_FILE$/, ''))) return [];
    const sign = given.startsWith('\uFEFF') ? 'a byte order mark (BOM)' : 'spaces or "export"';
    return [[name, `not read, expected its name without ${sign} in the environment file`]];
  });
}

/**
 * Returns a warning for each variable whose name is almost that of a setting that isn't set: without its end, in small
 * letters, or with one sign wrong. Short names, such as `HOST`, are too much like variables of other programs.
 */
export function mistypedNames(env: NodeJS.ProcessEnv = process.env): string[] {
  const names = new Set(VARIABLES);
  const isSet = (variable: string) => Boolean(env[variable] || env[`${variable}_FILE`]);
  return Object.keys(env).flatMap((given) => {
    const name = given.trim().replace(/_FILE$/, '');
    if (names.has(name)) return [];
    const meant = VARIABLES.find((variable) => !isSet(variable) && isMistyped(name, variable));
    return meant ? [`${given}: unknown, expected ${meant}`] : [];
  });
}

function isMistyped(given: string, variable: string): boolean {
  const name = given.toUpperCase();
  if (name === variable) return true;
  if (variable.length < 8) return false;
  if (name.includes('_') && variable.startsWith(`${name}_`)) return true;
  let same = 0;
  while (same < name.length && name[same] === variable[same]) same += 1;
  const [left, right] = [name.slice(same), variable.slice(same)];
  return (
    left === right.slice(1) ||
    left.slice(1) === right ||
    left.slice(1) === right.slice(1) ||
    (left.slice(2) === right.slice(2) && left[0] === right[1] && left[1] === right[0])
  );
}

/** Reads the port, the only setting of the demo. @throws {ConfigError} */
export function readPort({ PORT }: NodeJS.ProcessEnv = process.env): number {
  const port = settings.shape.port.safeParse(PORT?.trim() || undefined);
  if (port.success) return port.data;
  throw new ConfigError([`PORT: not valid, expected ${variableOf('port').expected}`]);
}

/** Returns whether npm started this process, through a shell. */
export function isStartedByNpm(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.npm_lifecycle_event !== undefined;
}

/** Returns the secrets. The password of Redis is among them as in the URL and decoded. */
export function secretsOf({ botToken, rentalApiKey, redisUrl }: Config): string[] {
  const password = redisUrl && new URL(redisUrl).password;
  const secrets = [botToken, rentalApiKey, password, password && decoded(password)];
  return secrets.filter((secret): secret is string => Boolean(secret));
}

/** Returns whether a URL has credentials that can be decoded and, if at all, a number as the database. */
function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, pathname } = new URL(text);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return /^\/?\d*$/.test(pathname);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns a warning for each setting that lets an attacker on the network read or change data that affects payments.
 */
export function configWarnings({ redisUrl, telegramApiRoot }: Config): string[] {
  const weak: string[] = [];
  const redis = redisUrl === undefined ? undefined : new URL(redisUrl);
  if (redis && !isLoopback(redis)) {
    if (redis.protocol !== 'rediss:')
      weak.push(
        'REDIS_URL: connection without encryption, expected rediss:// unless the network is your own',
      );
    const password = decoded(redis.password);
    if (password === '') weak.push('REDIS_URL: without a password, expected redis://:password@host');
    else if (!isUnmistakable(password))
      weak.push('REDIS_URL: the password is short or a single word, expected a random one of 16 characters');
  }
  const telegram = new URL(telegramApiRoot);
  if (telegram.protocol === 'http:' && !isLoopback(telegram)) {
    weak.push(
      "TELEGRAM_API_ROOT: http:// sends the bot's token unencrypted, expected https:// or a host of your own",
    );
  }
  return weak;
}

function variableOf(name: Setting): { variable: string; expected: string } {
  return variables.get(settings.shape[name]) ?? { variable: name, expected: '' };
}

function readSecret(env: NodeJS.ProcessEnv, name: string, faults: Map<string, string>): string | undefined {
  const value = env[name]?.trim();
  const file = env[`${name}_FILE`]?.trim();
  if (!file) return value;
  if (value) faults.set(name, `${name}: set twice, expected only one of ${name} and ${name}_FILE`);
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (!content) faults.set(name, `${name}_FILE: empty, expected a file that holds ${name}`);
    return content;
  } catch {
    faults.set(name, `${name}_FILE: not readable, expected the path of a file that holds ${name}`);
    return undefined;
  }
}

function matching(pattern: RegExp) {
  return z.string().regex(pattern);
}

/** Returns a schema of accepted URLs. Removes trailing slashes. */
function urlSchema(isAccepted: (url: URL) => boolean) {
  return z
    .string()
    .refine((text) => URL.canParse(text) && isAccepted(new URL(text)))
    .transform((text) => text.replace(/\/+$/, ''));
}

function listOf<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));
}

/** Returns whether secrets may be sent to this URL: https, or plain http on loopback only. */
function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

function isLoopback({ hostname }: URL): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}

/** Returns whether the URL has only scheme, host, port and path. */
function isBare(url: URL): boolean {
  return !url.username && !url.password && !url.search && !url.hash;
}
