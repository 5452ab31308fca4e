import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { DEFAULT_ENERGY_PRICES } from './prices.ts';
import { FAULT_KINDS, INITIAL_IDS, LEDGER_KINDS, type RecordKind, type State } from './state.ts';
import { CURRENCIES } from './wallets.ts';
import type { World } from './world.ts';

/** Money as a decimal string of the smallest unit. */
const unit = z.codec(z.string().regex(/^-?\d+$/), z.bigint(), { decode: BigInt, encode: String });
const money = z.strictObject({ TRX: unit, USDT: unit });
const currency = z.enum(CURRENCIES);
/** Record id or counter. */
const count = z.int().min(0);
/** Epoch milliseconds. */
const time = z.number();
const energyHours = z.literal([1, 24]);

/** Returns a codec that stores a map as an object. */
function mapOf<Value extends z.ZodType>(value: Value) {
  return z.codec(z.record(z.string(), value), z.map(z.string(), z.custom<z.output<Value>>()), {
    decode: (object) => new Map(Object.entries(object)),
    encode: (map) => Object.fromEntries(map),
  });
}

const account = z.strictObject({
  id: count,
  email: z.string(),
  key: z.string(),
  chainAddress: z.string(),
  depositAddress: z.string(),
  totpSecret: z.string().optional(),
  createdAt: time,
  openingBalance: unit,
  balance: unit,
  usedTotpSteps: z.array(count),
  webhook: z.strictObject({ url: z.string(), secret: z.string() }).optional(),
});

const wallet = money.extend({
  active: z.boolean(),
  ofService: z.boolean(),
  delegations: z.array(
    z.strictObject({
      resource: z.enum(['energy', 'bandwidth']),
      amount: count,
      expiresAt: time,
      txHash: z.string(),
    }),
  ),
});

const transaction = z.strictObject({
  hash: z.string(),
  at: time,
  kind: z.enum(['transfer', 'activation', 'delegation']),
  from: z.string(),
  to: z.string(),
  currency,
  amount: unit,
  memo: z.string().optional(),
  returnTo: z.string().optional(),
});

const deposit = z.strictObject({
  id: count,
  accountId: count,
  from: z.string(),
  currency,
  amount: unit,
  amountTrx: unit,
  txHash: z.string(),
  createdAt: time,
  status: z.enum(['pending', 'confirmed', 'expired']),
  confirmedAt: time.optional(),
});

const payment = z.strictObject({
  at: time,
  payer: z.string(),
  currency,
  amount: unit,
  txHash: z.string(),
  kept: unit,
});

const invoice = z.strictObject({
  id: count,
  accountId: count,
  paymentAddress: z.string(),
  address: z.string(),
  energyAmount: count,
  durationHours: energyHours,
  price: money,
  createdAt: time,
  expiresAt: time,
  payments: z.array(payment),
  status: z.enum(['pending', 'paid', 'delegated', 'expired', 'failed']),
  paidAt: time.optional(),
  delegatedAt: time.optional(),
  txHash: z.string().optional(),
});

const ledgerEntry = z.strictObject({
  id: count,
  at: time,
  accountId: count,
  kind: z.enum(LEDGER_KINDS),
  amount: unit,
  balance: unit,
  orderId: count.optional(),
  depositId: count.optional(),
  withdrawalId: count.optional(),
  invoiceId: count.optional(),
  subscriptionId: count.optional(),
  paid: z.strictObject({ currency, amount: unit }).optional(),
});

const webhookLogEntry = z.strictObject({
  id: count,
  accountId: count,
  eventType: z.string(),
  payload: z.record(z.string(), z.unknown()),
  createdAt: time,
  responseStatus: count,
  attempts: count,
});

const fault = z.strictObject({
  id: count,
  endpoint: z.string(),
  kind: z.enum(FAULT_KINDS),
  ms: count.optional(),
  status: count.optional(),
  times: count,
});

const anyOrder = z.strictObject({
  id: count,
  accountId: count,
  address: z.string(),
  amount: count,
  price: unit,
  createdAt: time,
  status: z.enum(['pending', 'filled', 'failed']),
});

const order = z.discriminatedUnion('kind', [
  anyOrder.extend({ kind: z.literal('energy'), durationHours: energyHours }),
  anyOrder.extend({ kind: z.literal('bandwidth'), durationHours: count }),
]);

const subscription = z.strictObject({
  id: count,
  accountId: count,
  address: z.string(),
  label: z.string().nullable(),
  bwGuarantee: z.boolean(),
  createdAt: time,
  status: z.enum(['active', 'paused', 'deactivated']),
  paidUntil: time,
  pausedAt: time.optional(),
});

const transferPackage = z.strictObject({
  id: count,
  accountId: count,
  address: z.string(),
  size: count,
  createdAt: time,
  active: z.boolean(),
});

const withdrawal = z.strictObject({
  id: count,
  accountId: count,
  toAddress: z.string(),
  amount: unit,
  fee: unit,
  createdAt: time,
  status: z.enum(['pending', 'completed', 'failed']),
  txHash: z.string().optional(),
});

/** Content of a state file. */
interface Snapshot {
  version: 1;
  /** Time of the sandbox's clock, in epoch milliseconds. */
  now: number;
  state: State;
}

/** Files from before a kind of record existed lack its id. */
const lastIds = Object.fromEntries(
  Object.entries(INITIAL_IDS).map(([kind, id]) => [kind, count.default(id)]),
) as Record<RecordKind, z.ZodDefault<typeof count>>;

const state = z.strictObject({
  accounts: z.array(account),
  wallets: mapOf(wallet),
  transactions: z.array(transaction),
  held: money,
  income: money,
  orders: z.array(order),
  deposits: z.array(deposit),
  withdrawals: z.array(withdrawal),
  packages: z.array(transferPackage),
  // Files from before the prices could be changed lack this field.
  energyPrices: z.strictObject({ 1: unit, 24: unit }).default(DEFAULT_ENERGY_PRICES),
  invoices: z.array(invoice),
  subscriptions: z.array(subscription),
  webhookLog: z.array(webhookLogEntry),
  ledger: z.array(ledgerEntry),
  faults: z.array(fault),
  rateWindows: mapOf(z.strictObject({ endsAt: time, used: count })),
  isLimitShared: z.boolean().default(false),
  lastIds: z.strictObject(lastIds),
});

/** Codec of state files. Encoding fails for a field of `State` that is missing here. */
const snapshot = z.strictObject({ version: z.literal(1), now: time, state });

/** Error of an invalid or unusable file. The message has a line for each fault. */
class FileError extends Error {
  override readonly name = 'FileError';

  constructor(path: string, faults: string[]) {
    super(faults.map((fault) => `${path}: ${fault}`).join('\n'));
  }
}

/** Reads and validates a JSON file. @throws FileError that names each fault and its path. */
export function readJsonFile<Content>(path: string, schema: z.ZodType<Content>): Content {
  const result = schema.safeParse(parse(path));
  if (result.success) return result.data;
  throw new FileError(
    path,
    result.error.issues.map(({ path: field, message }) => `${field.join('.') || 'the whole'}: ${message}`),
  );
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new FileError(path, [error instanceof Error ? error.message : String(error)]);
  }
}

/** Delay of saving after a change, in real time. Changes within it are saved together. */
const DEBOUNCE_MS = 200;

/** Reads a state file. Returns `undefined` if it doesn't exist. @throws FileError that names each fault and its path. */
export function loadState(path: string): Snapshot | undefined {
  return existsSync(path) ? readJsonFile(path, snapshot) : undefined;
}

/**
 * Saves the state to a file at once and soon after each change. Returns a function that saves a last time and stops saving.
 * If a later save fails, calls `report`, but not again for the same reason in a row, and continues.
 * @throws FileError if the first save fails
 */
export function startAutosave(world: World, path: string, report: (problem: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let reported: string | undefined;

  const write = () => {
    const content = z.encode(snapshot, { version: 1, now: world.clock.now(), state: world.state });
    const draft = `${path}.new`;
    writeFileSync(draft, `${JSON.stringify(content)}\n`);
    renameSync(draft, path);
  };
  const save = () => {
    timer = undefined;
    try {
      write();
      reported = undefined;
    } catch (error) {
      const problem = problemOf(error);
      if (problem !== reported) report(`${path}: ${problem}`);
      reported = problem;
    }
  };

  try {
    write();
  } catch (error) {
    throw new FileError(path, [problemOf(error)]);
  }
  const unsubscribe = world.onChange(() => {
    timer ??= setTimeout(save, DEBOUNCE_MS).unref();
  });

  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    unsubscribe();
    clearTimeout(timer);
    save();
  };
}

function problemOf(error: unknown): string {
  return `the state can't be saved: ${error instanceof Error ? error.message : String(error)}`;
}
