import { randomBytes } from 'node:crypto';
import { InputFile } from 'grammy';
import type { InlineKeyboardMarkup, Message, Update } from 'grammy/types';
import { expect, test, vi } from 'vitest';
import { createButtonTokens } from '../../src/bot/router.ts';
import { composeServices } from '../../src/composition.ts';
import { type AllFeatureDeps, FEATURES } from '../../src/features/features.ts';
import { type Language, withoutTags } from '../../src/i18n/texts.ts';
import type { Invoice, InvoiceRef } from '../../src/invoices/invoice.ts';
import { createInvoiceStore } from '../../src/invoices/invoice-store.ts';
import { energyOf, type InvoiceOperationRequest } from '../../src/operations/kinds/invoice.ts';
import type { OperationKind } from '../../src/operations/kinds/kind.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { deriveKeys } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { OPERATOR_ACCOUNT as GUESTS } from '../../src/rental-api/client.ts';
import type { View } from '../../src/views/view.ts';
import { standInBot, tapUpdate } from '../bot/stand-in-bot.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { createOperationSteps, INVOICE, START, USER, WITHDRAW_CAP } from '../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  profileOf,
  type StandInRental,
  standInRental,
} from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { isTap } from '../support/inputs.ts';
import { silentLog } from '../support/log-lines.ts';
import { EXPLORER_URL, TEXTS } from '../support/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { mockBroadcasts } from './mocked-broadcasts.ts';
import { standInSender } from './stand-in-sender.ts';

export const OPERATOR_KEY = 'a-key-of-the-operator';
/** Number of the operator's account. */
export const OPERATOR_ACCOUNT = 1000;
/** Another valid address, and two with the same first and last characters. */
export const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
export const [KNOWN, LOOKALIKE] = [
  'TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk',
  'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk',
] as const;
const TOKEN = '700:stands-in-for-a-token';

/** Returns a simulated rental service in which every read of a chat without operations succeeds. */
function standInReads(): StandInRental {
  const rental = standInRental();
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
  return rental;
}

/** Options of a chat. The dependencies are those that features get in place of the composed ones. */
type ChatOptions = Partial<AllFeatureDeps> & {
  /** Whether the user has linked an account. Default: true. */
  linked?: boolean;
  storage?: Storage | undefined;
  definitions?: typeof FEATURES;
  kinds?: readonly OperationKind[];
  /** Ids of the admins. A test may change them. Default: none. */
  admins?: ReadonlySet<number>;
};

/**
 * Opens a chat with the complete bot, as `composition.ts` composes it. Telegram and the rental service are mocked, and
 * every read succeeds. Claims wait for `setup.advance`, notifications stay in the outbox, and accounts aren't polled.
 */
export async function openChat(
  language: Language,
  { linked = true, storage: given, definitions = FEATURES, kinds = KINDS, ...more }: ChatOptions = {},
) {
  const {
    texts = TEXTS,
    admins = new Set<number>(),
    operatorKey,
    supportUrl,
    accountUrl,
    confirmableAfterMs,
    ...standIns
  } = {
    operatorKey: OPERATOR_KEY,
    supportUrl: 'https://support.example/',
    accountUrl: 'https://rental.example/open',
    confirmableAfterMs: 0,
    ...more,
  };
  const clock = { now: START };
  const now = () => clock.now;
  const storage = given ?? createMemoryStorage({ now });
  const rental = standInReads();
  const sender = standInSender();
  const casting = mockBroadcasts({ now });
  const secretKeys = [randomBytes(32)];
  const deps = {} as AllFeatureDeps;
  const features = definitions.map((definition) => ({
    ...definition,
    create(composed: AllFeatureDeps) {
      const broadcasts = { ...composed.broadcasts, ...casting.broadcasts };
      const sendQueue = {
        enqueueClaim: (...claim: Parameters<typeof setup.keepClaim>) => setup.keepClaim(...claim),
      };
      return definition.create(Object.assign(deps, composed, { broadcasts, sendQueue }, standIns));
    },
  }));
  const services = composeServices(
    {
      botToken: TOKEN,
      rentalApiUrl: 'https://rental.example/api',
      rentalApiKey: operatorKey,
      secretKeys,
      adminIds: admins,
      publicUrl: 'hookUrl' in more ? undefined : 'https://bot.example',
      port: 0,
      host: '127.0.0.1',
      metricsHost: '127.0.0.1',
      telegramApiRoot: 'https://telegram.example',
      supportUrl,
      accountUrl,
      explorerUrl: EXPLORER_URL,
      signatureHeader: 'X-Webhook-Signature',
      withdrawCapTrx: WITHDRAW_CAP,
      logLevel: 'silent',
    },
    {
      now,
      log: silentLog(),
      storage,
      rental,
      telegram: sender.telegram,
      texts,
      kinds,
      features,
      pace: { confirmableAfterMs },
    },
  );
  const { invoices, operations, records, notifications } = services;
  await services.accounts.userCounts.check();
  const { links, webhookSubscriptions, users, addressAnnouncements, operator } = deps;
  // As in a process that stops: stored work isn't started.
  await Promise.all([notifications.outbox.close(), services.accountEvents.pollers.close()]);
  if (operatorKey !== undefined) {
    rental.profile.mockResolvedValueOnce(profileOf('1000.00', OPERATOR_ACCOUNT));
    await operator.account();
    rental.profile.mockClear();
  }
  const show = vi.spyOn(notifications, 'showOperation');
  const setup = {
    ...createOperationSteps({
      operations,
      storage,
      records,
      rental,
      addressAnnouncements,
      clock,
      async prepareUser(user) {
        const isUnlinkedOther = user !== USER && (await links.find(user)) === undefined;
        if (isUnlinkedOther) await links.link(user, ACCOUNT, API_KEY, 'en');
      },
    }),
    continuity: services.continuity,
    show,
    /** Returns the states of operations that the user was shown, in order. */
    shown: () => show.mock.calls.map(([operation]) => operation.state),
  };
  if (linked) await links.link(USER, ACCOUNT, API_KEY, language);
  const onUserReturned = vi.spyOn(notifications.outbox, 'onUserReturned');
  const buttonTokens = createButtonTokens(deriveKeys(secretKeys, 'buttons'), deps);
  const telegram = standInBot(services.bot.middleware());
  services.bot.botInfo = telegram.bot.botInfo;
  // Higher than the update ids with which `setup` confirms operations.
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

  /** Returns the last call that has shown a bot message. */
  const shownBy = (message: number) =>
    telegram.calls.findLast(
      ({ method, payload }) => method === 'editMessageText' && payload.message_id === message,
    ) ?? telegram.calls[message - 1_001];

  /** Returns the current buttons of a bot message, as Telegram includes them in a tap. */
  function keyboardOf(message: number): InlineKeyboardMarkup['inline_keyboard'] {
    const { reply_markup: markup } = (shownBy(message)?.payload ?? {}) as {
      reply_markup?: InlineKeyboardMarkup;
    };
    return markup?.inline_keyboard ?? [];
  }

  /** Returns the current text of a bot message, as Telegram includes it in a tap. */
  const textOf = (message: number) => {
    const { payload } = shownBy(message) ?? {};
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
    message.date = Math.floor(clock.now / 1_000);
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
      const sent = keyboardOf(message);
      const isSent = sent.flat().some((one) => 'callback_data' in one && one.callback_data === data);
      const forged = [[{ text: 'a button', callback_data: data }]];
      tapped.reply_markup = { inline_keyboard: isSent ? sent : forged };
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
    for (const one of inputs) await (isTap(one) ? tap(one, { carried: data().includes(one) }) : write(one));
  }

  function shows(...parts: readonly string[]): void {
    for (const part of parts) expect(last().html).toContain(part);
  }

  return {
    setup,
    deps,
    features: services.features,
    links,
    webhookSubscriptions,
    users,
    invoices,
    /** Returns an invoice once all its cards were sent. They are sent in the background. */
    shownInvoice: (ref: InvoiceRef) =>
      eventually(async () => {
        const invoice = await invoices.read(ref);
        if (invoice === undefined) throw new Error('no invoice was made');
        for (const { message } of invoice.cards) expect(message).toBeDefined();
        return invoice;
      }),
    /** Calls that send or edit messages without an update. */
    sender,
    casting,
    views,
    last,
    data,
    write,
    tap,
    payloads,
    input,
    shows,
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
    /** Returns the request of the latest card with *Confirm*. An edit of an earlier card may be shown after it. */
    async requested(): Promise<Operation['request'] | undefined> {
      const confirms = views().flatMap(
        (view) =>
          Object.values(buttonsOf(view))
            .join()
            .match(/operation:confirm:\w+/g) ?? [],
      );
      const [, , id = ''] = confirms.at(-1)?.split(':') ?? [];
      return (await deps.operations.drafts.find({ user: USER, id }))?.request;
    },
    /** Taps a button of the latest message. */
    tapShown: (name: string) => tap(name, { carried: true }),
    /** Taps callback data or writes a text, and expects that the latest view contains each of the parts. */
    async expectReply(to: string, ...parts: readonly string[]): Promise<void> {
      await input(to);
      shows(...parts);
    },
    /** Returns the chats that were reported as reachable again. */
    returned: () => onUserReturned.mock.calls.map(([chat]) => chat),
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
  const { setup, deps, links, invoices } = chat;
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
  // Guests have no account of their own.
  const account = user === USER && !(await links.find(USER)) ? GUESTS : ACCOUNT;
  const operation = await setup.claimed({ user, account, request });
  await setup.advance(operation);
  const ref = { user, id: operation.id };
  await chat.shownInvoice(ref);
  const store = createInvoiceStore(deps);
  const made = await store.update(ref, (invoice) => ({ ...invoice, ...stored }));
  if (made === undefined) throw new Error(`no invoice was made: ${await invoices.read(ref)}`);
  return made;
}
