import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { address, isBare, isLoopback, isSafe, listOf, secretKey, telegramId } from './config-fields.ts';

export interface Config {
  botToken: string;
  /** `{base_url}` of the specification. As in all HTTP URLs here, trailing slashes are removed. */
  rentalApiUrl: string;
  rentalApiKey?: string;
  redisUrl?: string;
  /** 32 bytes each, newest first. Empty if no data outlives the process. */
  secretKeys: Uint8Array[];
  adminIds: ReadonlySet<number>;
  publicUrl?: string;
  /** 0 selects any free port. */
  port: number;
  host: string;
  telegramApiRoot: string;
  supportUrl?: string;
  accountUrl?: string;
  signatureHeader: string;
  /** Daily limit of withdrawals from an account without two-factor codes, in TRX, decimal; 0 forbids them. */
  withdrawCapTrx: string;
  logLevel: (typeof LOG_LEVELS)[number];
}

/** Error for an invalid environment. Has a line per fault, which names the variable and never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const SECRETS = ['BOT_TOKEN', 'RENTAL_API_KEY', 'REDIS_URL', 'SECRET_KEY'];

/** Each description ends the sentence "expected …" of a fault. */
const environment = z.object({
  BOT_TOKEN: z
    .string()
    .regex(/^\d+:[A-Za-z0-9_-]{20,}$/)
    .describe('the token from @BotFather, digits:letters'),
  RENTAL_API_URL: address((url) => isSafe(url) && isBare(url)).describe(
    "the rental service's https:// address (http:// only on loopback), without query or password",
  ),
  RENTAL_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .optional()
    .describe('an API key of the rental service, without spaces'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe('redis:// or rediss:// and a host'),
  SECRET_KEY: listOf(secretKey)
    .refine((keys) => new Set(keys.map(String)).size === keys.length)
    .default([])
    .describe(
      '32 random bytes as base64 (openssl rand -base64 32); several are separated by commas, newest first, each once',
    ),
  ADMIN_IDS: listOf(telegramId).default([]).describe('numeric Telegram ids, separated by commas'),
  // May have a path if a proxy serves this server below that path and strips it.
  PUBLIC_URL: address((url) => isSafe(url) && isBare(url))
    .optional()
    .describe('the https:// address of this server (http:// only on loopback), without query or password'),
  PORT: z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .pipe(z.int().max(65_535))
    .default(8080)
    .describe('a number from 0 to 65535'),
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/)
    .default('0.0.0.0')
    .describe('a host name or an IP address to listen on'),
  // A self-hosted Bot API server uses plain http: https://github.com/tdlib/telegram-bot-api
  TELEGRAM_API_ROOT: address((url) => /^https?:$/.test(url.protocol) && isBare(url))
    .default('https://api.telegram.org')
    .describe('an https:// or http:// address of a Bot API server'),
  SUPPORT_URL: address((url) => /^(https?|tg):$/.test(url.protocol))
    .optional()
    .describe('an https:// or tg:// address'),
  ACCOUNT_URL: address((url) => url.protocol === 'https:')
    .optional()
    .describe('an https:// address where users open an account at the rental service'),
  RENTAL_WEBHOOK_SIGNATURE_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/)
    .default('X-Webhook-Signature')
    .describe('the name of an HTTP header'),
  WITHDRAW_CAP_TRX: z
    .string()
    .regex(/^\d{1,12}(\.\d{1,6})?$/)
    .default('1000')
    .describe('an amount of TRX, like 1000; 0 forbids withdrawals without two-factor codes'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS)
    .default('info')
    .describe(`one of ${LOG_LEVELS.join(', ')}`),
});

type Variable = keyof typeof environment.shape;

/**
 * Reads the environment. An empty variable counts as unset. A secret can be in the file that `NAME_FILE` names.
 * @throws {ConfigError} with every fault at once.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults = new Map<string, string>();
  const values: Record<string, string | undefined> = {};
  for (const name of Object.keys(environment.shape)) {
    const value = SECRETS.includes(name) ? readSecret(env, name, faults) : env[name]?.trim();
    values[name] = value || undefined;
  }

  const parsed = environment.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const name = issue.path[0] as Variable;
    addFault(
      name,
      `${values[name] ? 'not valid' : 'missing'}, expected ${environment.shape[name].description}`,
    );
  }
  const rental = values.RENTAL_API_URL;
  if (!values.REDIS_URL && rental && URL.canParse(rental) && !isLoopback(new URL(rental))) {
    addFault('REDIS_URL', 'missing, required unless RENTAL_API_URL is on loopback: claims must be durable');
  }
  const needy = ['REDIS_URL', 'PUBLIC_URL'].find((name) => values[name]);
  if (needy && !values.SECRET_KEY) {
    addFault('SECRET_KEY', `missing, required with ${needy}: ${environment.shape.SECRET_KEY.description}`);
  }
  if (!parsed.success || faults.size > 0) throw new ConfigError([...faults.values()]);
  return toConfig(parsed.data);

  function addFault(name: string, fault: string): void {
    if (!faults.has(name)) faults.set(name, `${name}: ${fault}`);
  }
}

/** Reads the port, the only setting of the demo. @throws {ConfigError} */
export function readPort({ PORT }: NodeJS.ProcessEnv = process.env): number {
  const port = environment.shape.PORT.safeParse(PORT?.trim() || undefined);
  if (port.success) return port.data;
  throw new ConfigError([`PORT: not valid, expected ${environment.shape.PORT.description}`]);
}

/** Returns whether npm started this process, through a shell. */
export function isStartedByNpm(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.npm_lifecycle_event !== undefined;
}

function toConfig(values: z.output<typeof environment>): Config {
  return {
    botToken: values.BOT_TOKEN,
    rentalApiUrl: values.RENTAL_API_URL,
    rentalApiKey: values.RENTAL_API_KEY,
    redisUrl: values.REDIS_URL,
    secretKeys: values.SECRET_KEY,
    adminIds: new Set(values.ADMIN_IDS),
    publicUrl: values.PUBLIC_URL,
    port: values.PORT,
    host: values.HOST,
    telegramApiRoot: values.TELEGRAM_API_ROOT,
    supportUrl: values.SUPPORT_URL,
    accountUrl: values.ACCOUNT_URL,
    signatureHeader: values.RENTAL_WEBHOOK_SIGNATURE_HEADER,
    withdrawCapTrx: values.WITHDRAW_CAP_TRX,
    logLevel: values.LOG_LEVEL,
  };
}

function readSecret(env: NodeJS.ProcessEnv, name: string, faults: Map<string, string>): string | undefined {
  const value = env[name]?.trim();
  const file = env[`${name}_FILE`]?.trim();
  if (!file) return value;
  if (value) faults.set(name, `${name}: given twice, expected either it or ${name}_FILE`);
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (!content) faults.set(name, `${name}_FILE: empty, expected a file that holds ${name}`);
    return content;
  } catch {
    faults.set(name, `${name}_FILE: not readable, expected the path of a file that holds ${name}`);
    return undefined;
  }
}

/** Returns the secrets that must not appear in logs. */
export function secretsOf({ botToken, rentalApiKey, redisUrl }: Config): string[] {
  const password = redisUrl && new URL(redisUrl).password;
  return [botToken, rentalApiKey, password].filter((secret): secret is string => Boolean(secret));
}
