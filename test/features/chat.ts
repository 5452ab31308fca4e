import { randomBytes } from 'node:crypto';
import { InputFile } from 'grammy';
import type { InlineKeyboardMarkup, Message, Update } from 'grammy/types';
import { expect, test, vi } from 'vitest';
import { createKeyAttempts } from '../../src/accounts/account-keys.ts';
import { createAddressBook } from '../../src/accounts/address-book.ts';
import { createAdminLog } from '../../src/accounts/admin-log.ts';
import { createBalances } from '../../src/accounts/balances.ts';
import { createDepositAddresses } from '../../src/accounts/deposit-addresses.ts';
import { createUnlinkAccount } from '../../src/accounts/erase-user.ts';
import { createLinks } from '../../src/accounts/links.ts';
import type { Operator } from '../../src/accounts/operator.ts';
import {
  createCountUsers,
  createNotificationSettings,
  createUserRecords,
  createUsers,
} from '../../src/accounts/users.ts';
import { createWebhookSubscriptions, createWebhookSwitch } from '../../src/accounts/webhook-subscriptions.ts';
import { createQuotes } from '../../src/bot/accounts.ts';
import { createBot } from '../../src/bot/bot.ts';
import type { FeatureDefinition, FeatureDeps } from '../../src/bot/feature.ts';
import { createButtonTokens } from '../../src/bot/router.ts';
import { createBroadcastDrafts } from '../../src/broadcasts/store.ts';
import { FEATURES } from '../../src/features/features.ts';
import { type Language, withoutTags } from '../../src/i18n/texts.ts';
import type { UpdateCard } from '../../src/invoices/card-updates.ts';
import type { Invoice } from '../../src/invoices/invoice.ts';
import { createInvoiceStore } from '../../src/invoices/invoice-store.ts';
import { createInvoices, type Invoices } from '../../src/invoices/invoices.ts';
import { createEventMetrics } from '../../src/notifications/event-metrics.ts';
import { createRentalReminders } from '../../src/notifications/rental-reminders.ts';
import { operationCard } from '../../src/operations/card.ts';
import { energyOf, type InvoiceOperationRequest } from '../../src/operations/kinds/invoice.ts';
import { createMaintenance } from '../../src/operations/maintenance.ts';
import { createPaymentsGate } from '../../src/operations/payments-gate.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createRecentCalls } from '../../src/platform/service-calls.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { createAccountReader } from '../../src/rental-api/account-reader.ts';
import { createOperatorInvoices } from '../../src/rental-api/client.ts';
import type { View } from '../../src/views/view.ts';
import { standInBot, tapUpdate } from '../bot/stand-in-bot.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { INVOICE, setUpOperations, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, API_KEY, accepted, profileOf } from '../operations/rental-stand-in.ts';
import { silentLog } from '../support/log-lines.ts';
import { NO_OPERATOR } from '../support/no-operator.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';
import { TEXTS } from '../support/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { mockBroadcasts } from './mocked-broadcasts.ts';

export const OPERATOR_KEY = 'a-key-of-the-operator';
/** Number of the operator's account, and access to it. */
export const OPERATOR_ACCOUNT = 1000;
export const OPERATOR: Operator = {
  account: async () => OPERATOR_ACCOUNT,
  knownAccount: () => OPERATOR_ACCOUNT,
  owns: async (account) => account === OPERATOR_ACCOUNT,
  isKey: (key) => key === OPERATOR_KEY,
};
/** Another valid address, and two with the same first and last characters. */
export const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
export const [KNOWN, LOOKALIKE] = [
  'TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk',
  'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk',
] as const;
const TRIMMINGS = { supportUrl: 'https://support.example/', accountUrl: 'https://rental.example/open' };

export const MOCKED_POLLERS: FeatureDeps['pollers'] = {
  addAccount: async () => {},
  pollSoon: async () => {},
  pollBalanceIfNeeded: async () => {},
  onUserActive: async () => {},
};

/** Opens a chat with the complete bot. Telegram and the rental service are mocked, and every read succeeds. */
export async function openChat(
  language: Language,
  {
    linked = true,
    storage: given,
    definitions = FEATURES,
    ...more
  }: Partial<FeatureDeps> & {
    linked?: boolean;
    storage?: Storage | undefined;
    definitions?: readonly FeatureDefinition[];
  } = {},
) {
  const setup = setUpOperations(given);
  const { storage, rental, kinds, operations, clock } = setup;
  rental.prices.mockResolvedValue(
    accepted({ energySunPerUnit: { '1': '35.68', '24': '60' }, burnTrx: '13.4' }),
  );
  rental.depositInfo.mockResolvedValue(
    accepted({
      deposit_address: ADDRESS,
      accepted_currencies: ['TRX', 'USDT'],
      usdt_to_trx_rate: '3.1',
      trx_usd_rate: '0.3',
    }),
  );
  rental.deposits.mockResolvedValue(accepted([]));
  rental.withdrawals.mockResolvedValue(accepted([]));
  rental.subscriptions.mockResolvedValue(accepted([]));
  rental.packageTiers.mockResolvedValue(
    accepted({
      tiers: [{ size: 10, price_trx: '23.00' }],
      single_transfer_price: '2.40',
      bw_fee_per_transfer: '0.3',
      min_custom_size: 1,
      max_custom_size: 10_000,
    }),
  );
  const seal = createSeal([randomBytes(32)]);
  const records = signedRecords(storage);
  const texts = more.texts ?? TEXTS;
  const log = silentLog();
  const now = () => clock.now;
  const operator: Operator = more.operator ?? NO_OPERATOR;
  const operatorKey = 'operatorKey' in more ? more.operatorKey : OPERATOR_KEY;
  const isAdmin = more.isAdmin ?? (() => false);
  const links = createLinks({ storage, records, seal, operator, operatorKey: OPERATOR_KEY, isAdmin, now });
  const users = createUsers({ storage, records, now });
  const webhookSubscriptions = createWebhookSubscriptions({ records, seal, now });
  const leases = createLeases({ storage });
  const maintenance = createMaintenance({ records, now });
  const accountReader = createAccountReader({ rental });
  const webhookSwitch = createWebhookSwitch({ webhookSubscriptions, accountReader, rental, leases });
  const showCard = vi.fn<UpdateCard>(async () => ({ kind: 'updated', message: 77 }));
  const invoices: Invoices = createInvoices({
    dataSince: async () => 0,
    hasEvents: async () => false,
    ...{ storage, records, seal, rental, updateCard: showCard, now },
    leases,
    operatorInvoices: createOperatorInvoices({ rental, operatorKey: OPERATOR_KEY }),
    apiKey: links.apiKey,
    markAsMerchant: links.markAsMerchant,
    isAdmin: () => false,
    isNotMade: async (ref) => (await operations.drafts.find(ref))?.state === 'refused',
    notifyGuestLimitReached: async () => {},
    reportContradiction: async () => {},
    log: silentLog(),
  });
  setup.onExecuted.mockImplementation(async (operation) => {
    await invoices.track(operation);
    // Its card is shown in the background.
    await settled();
  });
  const openMenu: FeatureDeps['openMenu'] = async (ctx) =>
    features.find(({ name }) => name === 'menu')?.open?.(ctx);
  const casting = mockBroadcasts({ drafts: createBroadcastDrafts({ records }), now });
  const notificationSettings = createNotificationSettings({ records });
  const rentalReminders = createRentalReminders({
    ...{ storage, kinds, notificationSettings, now },
    findOperation: setup.find,
    outbox: { add: async () => {} },
    recurringWork: { every: () => {} },
  });
  const deps: FeatureDeps = {
    ...{ links, webhookSubscriptions, accountReader, operations, texts, openMenu, ...TRIMMINGS },
    keyAttempts: createKeyAttempts({ records, now }),
    addressBook: createAddressBook({ records }),
    depositAddresses: createDepositAddresses({ records }),
    notificationSettings,
    quotes: createQuotes({
      operatorKeyWatch: { lastRefusedAt: () => undefined },
      ...{ rental, operatorKey, lastPrices: operations.lastPrices, now },
    }),
    rentalReminders,
    card: async (words, operation) =>
      operationCard(words, operation, {
        kind: kinds.of(operation.request),
        reported: false,
        offersReminder: await rentalReminders.isOffered(operation),
      }),
    paymentsGate: createPaymentsGate({
      ...{ storage, maintenance, now },
      volatile: true,
      continuity: { obstacle: async () => undefined },
    }),
    maintenance,
    sendQueue: { enqueueClaim: async (claim, code) => setup.keepClaim(claim, code) },
    confirmableAfterMs: 0,
    ...{ operator, webhookSwitch, users },
    broadcasts: casting.broadcasts,
    countUsers: createCountUsers({ users, links, now }),
    unlinkAccount: createUnlinkAccount({ links, webhookSubscriptions, operator, webhookSwitch }),
    isAdmin: () => false,
    invoices,
    invoiceLinks: (invoice) => {
      const token = invoices.shares.tokenOf(invoice);
      return token === undefined ? undefined : { token, chat: `https://t.me/bot?start=${token}` };
    },
    addressAnnouncements: setup.addressAnnouncements,
    addressNotifications: { announced: async () => {}, blocked: async () => {} },
    notifyReportsOff: async () => {},
    notifyMaintenanceChange: async () => {},
    state: {
      ...{ storage, startedAt: now(), version: '1.2.3' },
      rental: createRecentCalls({ now }).seen,
      telegram: createRecentCalls({ now }).seen,
      overdue: {
        operations: operations.overdueMs,
        invoices: invoices.overdueMs,
        erasures: async () => undefined,
      },
    },
    pollers: MOCKED_POLLERS,
    outbox: { onUserActive: async () => {} },
    notify: async () => {},
    userErasure: { request: async () => {}, hasStarted: async () => false },
    balances: createBalances(),
    operatorLimits: setup.operatorLimits,
    adminAlerts: {
      operatorAccountChanged: vi.fn(async () => []),
      operatorKeySent: vi.fn(async () => 'done' as const),
    },
    adminLog: createAdminLog({ storage, records, now }),
    userRecords: createUserRecords({ storage, records, now }),
    eventMetrics: createEventMetrics({ records: signedRecords(storage), now }),
    readOutboxBacklog: async () => ({ chats: 0, isMore: false, oldestMs: undefined }),
    now,
    operatorKey,
    hookUrl: (hook) => `https://bot.example/events/${hook}`,
    features: () => features,
    privacyLines: [],
    storage,
    records,
    ...more,
  };
  const features = definitions.map(({ create }) => create(deps));
  if (linked) await links.link(USER, ACCOUNT, API_KEY, language);
  const back: number[] = [];
  const buttonTokens = createButtonTokens([randomBytes(32)], deps);
  const { bot } = createBot({
    ...deps,
    token: '700:stands-in-for-a-token',
    client: {},
    chats: storage.chats,
    buttonTokens,
    onReturn: async (chat) => void back.push(chat),
    log,
  });
  const telegram = standInBot(bot.middleware());
  // Higher than the update ids with which `room` confirms operations.
  let updates = 10_000;
  let written: Update = { update_id: 0 };
  let delivered = written;
  let spoken = language;

  /** Returns all views shown in the chat, including edits, in order. */
  const views = (): View[] =>
    telegram.calls
      .filter(({ method }) => /^(sendMessage|sendPhoto|editMessageText)$/.test(method))
      .map(({ payload }) => {
        const { inline_keyboard: keyboard = [] } = (payload.reply_markup ?? {}) as {
          inline_keyboard?: View['keyboard'];
        };
        const { text, caption, photo } = payload;
        const { fileData } = photo instanceof InputFile ? (photo as unknown as { fileData: Uint8Array }) : {};
        const picture = fileData && Buffer.from(fileData);
        return {
          html: String(text ?? caption),
          keyboard: withoutTokens(keyboard),
          ...(picture && { photo: picture }),
        };
      });

  /** Returns the data of the latest button with this name, including its token if it has one. */
  function dataOf(name: string): string | undefined {
    const carried = telegram.calls.flatMap(({ payload }) => {
      const { inline_keyboard: rows = [] } = (payload.reply_markup ?? {}) as Partial<InlineKeyboardMarkup>;
      return rows.flat().flatMap((one) => ('callback_data' in one ? [one.callback_data] : []));
    });
    return carried.findLast((data) => withoutToken(data) === name);
  }

  const lastMessage = () =>
    1_000 + telegram.calls.findLastIndex(({ method }) => /^send(Message|Photo)$/.test(method)) + 1;

  /** Returns the current text of a bot message, as Telegram includes it in a tap. */
  const textOf = (message: number) => {
    const { payload } =
      telegram.calls.findLast(
        ({ method, payload }) => method === 'editMessageText' && payload.message_id === message,
      ) ??
      telegram.calls[message - 1_001] ??
      {};
    return withoutTags(String(payload?.text ?? '')).replace(/&#(\d+);/g, (_, code) =>
      String.fromCharCode(Number(code)),
    );
  };

  /** Sends a message with any content. It is the latest one unless `message_id` is given. */
  async function bring({ text, ...more }: Partial<Message>): Promise<void> {
    const update = textUpdate(++updates, USER, text);
    const { message } = update;
    if (message === undefined) return;
    if (text === undefined) delete message.text;
    if (message.from) message.from.language_code = spoken;
    const [command] = /^\/\w+/.exec(text ?? '') ?? [];
    if (command) message.entities = [{ type: 'bot_command', offset: 0, length: command.length }];
    Object.assign(message, more);
    written = structuredClone(update);
    delivered = structuredClone(update);
    await telegram.handle(update);
  }

  /** Returns the data of a newly sent button with this name, signed for this chat unless `to` is given. */
  async function sentData(name: string, { to = USER, by = buttonTokens } = {}): Promise<string> {
    let data = name;
    const keyboard = { inline_keyboard: [[{ text: 'a button', callback_data: name }]] };
    const call = async (_: string, { reply_markup: markup }: { reply_markup?: typeof keyboard }) => {
      data = markup?.inline_keyboard[0]?.[0]?.callback_data ?? name;
      return { ok: true as const, result: true };
    };
    await by.sign(call as never, 'sendMessage', { chat_id: to, text: '', reply_markup: keyboard });
    return data;
  }

  async function forge(data: string, { message = lastMessage(), carried = false } = {}): Promise<void> {
    const update = tapUpdate(++updates, data, { chat: USER, message });
    if (update.callback_query) update.callback_query.from.language_code = spoken;
    const tapped = update.callback_query?.message;
    if (tapped && 'text' in tapped) tapped.text = textOf(message);
    if (carried && tapped && 'text' in tapped) {
      tapped.reply_markup = { inline_keyboard: [[{ text: 'a button', callback_data: data }]] };
    }
    delivered = structuredClone(update);
    await telegram.handle(update);
  }

  const last = (): View => views().at(-1) ?? { html: '', keyboard: [] };
  const data = () => Object.values(buttonsOf(last()));
  const write = (text: string, { message: number }: { message?: number } = {}): Promise<void> =>
    bring({ text, ...(number !== undefined && { message_id: number }) });
  const tap = async (name: string, where?: { message?: number; carried?: boolean }): Promise<void> =>
    forge(dataOf(name) ?? (await sentData(name)), where);
  const payloads = (method: string) =>
    telegram.calls.filter((call) => call.method === method).map(({ payload }) => payload);

  async function input(...inputs: readonly string[]): Promise<void> {
    for (const one of inputs)
      await (/^\+?[a-z-]+:[a-z-]+|^answer=/.test(one)
        ? tap(one, { carried: data().includes(one) })
        : write(one));
  }

  function shows(...parts: readonly string[]): void {
    for (const part of parts) expect(last().html).toContain(part);
  }

  return {
    ...{ setup, deps, features, links, webhookSubscriptions, users, views, invoices, showCard, casting },
    ...{ last, data, write, tap, payloads, input, shows },
    html: () => last().html,
    /** Returns the texts of all views together. */
    allHtml: () =>
      views()
        .map(({ html }) => html)
        .join('\n'),
    /** Returns the data of the buttons of the latest view, by label. */
    buttons: () => buttonsOf(last()),
    labels: () => Object.keys(buttonsOf(last())),
    /** Returns the data of the first button of the latest view that contains `part`, or an empty string. */
    dataWith: (part: string): string => data().find((one) => one.includes(part)) ?? '',
    /** Taps a button of the latest message. */
    tapShown: (name: string) => tap(name, { carried: true }),
    /** Taps callback data or writes a text, and expects that the latest view contains each of the parts. */
    async expectReply(to: string, ...parts: readonly string[]): Promise<void> {
      await input(to);
      shows(...parts);
    },
    /** Chats that were reported as reachable again. */
    back,
    words: texts.in(language),
    calls: telegram.calls,
    trouble: telegram.trouble,
    hang: (method: string) => telegram.trouble(method, 'hangs'),
    lastMessage,
    /** Returns the toast shown for the last tap. */
    toast: () => payloads('answerCallbackQuery').at(-1)?.text,
    /** Sets the balance of the account, and whether it has 2FA. */
    setProfile(balance: string, { codes = false } = {}): void {
      const { value } = profileOf(balance);
      rental.profile.mockResolvedValue(accepted({ ...value, totp_enabled: codes }));
    },
    bring,
    /** Edits the last message of the user. */
    async edit(more: Partial<Message>): Promise<void> {
      const { message, ...rest } = structuredClone(written);
      if (message === undefined) return;
      const edited = { ...message, ...more, edit_date: 1, chat: message.chat };
      await telegram.handle({ ...rest, update_id: ++updates, edited_message: edited });
    },
    /** Changes the language of the user's Telegram app. */
    speak(next: Language): void {
      spoken = next;
    },
    /** Handles any update, under a new update id. */
    receive: (update: Omit<Update, 'update_id'>) => telegram.handle({ ...update, update_id: ++updates }),
    /** Repeats the last update. */
    again: () => telegram.handle(delivered),
    dataOf,
    sentData,
    buttonTokens,
    /** Taps a button with any data on the last message or on `message`. `carried`: that message contains the button. */
    forge,
  };
}

export type Chat = Awaited<ReturnType<typeof openChat>>;

/** Returns the last sent file. */
export function fileIn({ calls }: Pick<Chat, 'calls'>): { name: string; text: string; caption: string } {
  const { document, caption } = calls.findLast(({ method }) => method === 'sendDocument')?.payload ?? {};
  if (!(document instanceof InputFile)) throw new Error('no file was sent');
  const { fileData } = document as unknown as { fileData: Uint8Array };
  return { name: document.filename ?? '', text: Buffer.from(fileData).toString(), caption: String(caption) };
}

/** Creates a `test` function with a fixture `chat`, which `open` opens before each test. */
export function testWith<Opened>(open: () => Promise<Opened>) {
  return test.extend<{ chat: Opened }>({
    chat: async ({ task: _ }: object & { task: unknown }, use: (chat: Opened) => Promise<void>) =>
      use(await open()),
  });
}

const withoutToken = (data: string) => data.replace(/~[\w-]{20}$/, '');

/** Removes the tokens, which differ each time a button is sent. */
function withoutTokens(keyboard: View['keyboard']): View['keyboard'] {
  return keyboard.map((row) =>
    row.map((one) =>
      'callback_data' in one ? { ...one, callback_data: withoutToken(one.callback_data) } : one,
    ),
  );
}

const PAYMENT_ADDRESS = OTHER_ADDRESS;
const numbers = new WeakMap<Chat, number>();

/** Creates a shared invoice, one second later on the clock. `stored` overrides fields of the stored invoice. */
export async function sell(
  chat: Chat,
  {
    user = USER,
    price = '5.00',
    stored = {},
    ...wanted
  }: Partial<InvoiceOperationRequest> & { user?: number; price?: string; stored?: Partial<Invoice> } = {},
): Promise<Invoice> {
  const { setup, invoices } = chat;
  setup.clock.now += 1_000;
  const number = (numbers.get(chat) ?? 0) + 1;
  numbers.set(chat, number);
  const request: InvoiceOperationRequest = { ...INVOICE, kind: 'invoice', shared: true, ...wanted };
  setup.rental.createInvoice.mockResolvedValueOnce(
    accepted({
      invoice_id: number,
      payment_address: PAYMENT_ADDRESS,
      address: request.address,
      energy_amount: energyOf(request),
      duration_hours: request.duration_hours,
      price_trx: price,
      price_usdt: '1.50',
      status: 'pending',
      expires_at: new Date(setup.clock.now + 30 * 60_000).toISOString(),
    }),
  );
  const operation = await setup.claimed({ user, request });
  await setup.advance(operation);
  const ref = { user, id: operation.id };
  const store = createInvoiceStore({ records: signedRecords(setup.storage) });
  const made = await store.update(ref, (invoice) => ({ ...invoice, ...stored }));
  if (made === undefined) throw new Error(`no invoice was made: ${await invoices.read(ref)}`);
  return made;
}
