import type { Language } from '../../src/i18n/texts.ts';
import { answerData } from '../../src/views/callback-data.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS, accepted, subscription } from '../operations/rental-stand-in.ts';
import { KNOWN, LOOKALIKE, OTHER_ADDRESS, openChat } from './chat.ts';

/** A question, and how to reach it. */
export interface Question {
  /** Name of the feature that asks it. */
  flow: string;
  /** Texts to send and callback data to tap, in order. */
  inputs: readonly string[];
  /** Part of the reply to an answer that can't be read. */
  expected: string;
  /** Only admins get it. */
  forAdmins?: true;
  /** Almost any kind of message is a valid answer. */
  acceptsMessages?: true;
  /** Callback data of an answer that must be tapped, not typed. */
  tapOnly?: string;
  /** An invalid answer, for questions that accept almost any text. */
  invalid?: string;
  /** Whether the balance is enough for a purchase. Default: only for withdrawals. */
  hasFunds?: boolean;
  /** Whether the account has 2FA. Default: `true`. */
  codes?: boolean;
}

const hours = answerData('24');
const ADDRESS_EXPECTED = '34 characters, starting with T';
const TAP_EXPECTED = 'Tap one of the buttons';
const NOTE_EXPECTED = 'Send up to 100 characters';
const NAME_EXPECTED = 'Send up to 24 characters';
const LIMIT_EXPECTED = 'Send an amount of TRX like 100';
const MESSAGE_EXPECTED = 'Send a text';
const toBroadcast = ['/broadcast', 'broadcast:new'];
const toPreview = [...toBroadcast, 'News', answerData('none')];
const toAudience = [...toPreview, answerData('next')];
const toTime = [...toAudience, answerData('everybody')];
/** Ends of the data of the card's buttons that lead to a question. */
const [TO_AMOUNT, TO_NOTE] = ['_amount', '_note'];

const rowsOf = (flow: string, rows: [string[], string, Partial<Question>?][]): Question[] =>
  rows.map(([inputs, expected, more]) => ({ flow, inputs, expected, ...more }));

/** Questions of the flows that declare no examples. Purchases end at the question about the missing balance. */
const LISTED: readonly Question[] = [
  ...rowsOf('energy', [
    [['/buy'], ADDRESS_EXPECTED],
    [['/buy', ADDRESS], 'Send a number: 1 to 76 for transfers'],
    [['/buy', ADDRESS, TO_AMOUNT], 'Send a number: 1 to 76 for transfers', { hasFunds: true }],
  ]),
  ...rowsOf('bandwidth', [
    [['/bandwidth'], ADDRESS_EXPECTED],
    [['/bandwidth', ADDRESS], 'Send a whole number from 350'],
    [['/bandwidth', ADDRESS, answerData('350')], 'hours, like'],
    [['/bandwidth', ADDRESS, answerData('350'), hours], 'Send a whole number from 350'],
  ]),
  ...rowsOf('activation', [
    [['/activate'], ADDRESS_EXPECTED],
    [['/activate', ADDRESS], TAP_EXPECTED],
  ]),
  ...rowsOf('smart-mode', [
    [['smart-mode:start'], ADDRESS_EXPECTED],
    [['smart-mode:start', OTHER_ADDRESS], 'Send a name of up to 32 characters'],
    [['smart-mode:start', OTHER_ADDRESS, answerData('none')], TAP_EXPECTED],
  ]),
  ...rowsOf('invoice', [
    [['/invoice'], ADDRESS_EXPECTED],
    [['/invoice', ADDRESS, TO_AMOUNT], 'Send a number: 1 to 76 for transfers'],
    [['/invoice', ADDRESS, TO_NOTE], NOTE_EXPECTED, { invalid: 'x'.repeat(101) }],
    [['/invoice', ADDRESS, 'Zoe'], NOTE_EXPECTED, { invalid: 'x'.repeat(101) }],
  ]),
  ...rowsOf('invoices', [
    [['/invoices', 'invoices:find'], 'Send up to 100 characters', { invalid: 'x'.repeat(101) }],
  ]),
  ...rowsOf('notifications', [[['/notifications', 'notifications:low-balance'], 'Send an amount like 50']]),
  ...rowsOf('packages', [[['/packages', 'packages:custom'], 'Send a whole number from 1 to 10,000']]),
  ...rowsOf('addresses', [
    [['/addresses', 'addresses:add'], ADDRESS_EXPECTED],
    [['/addresses', 'addresses:add', LOOKALIKE], TAP_EXPECTED],
    [['/addresses', 'addresses:add', OTHER_ADDRESS], NAME_EXPECTED, { invalid: 'x'.repeat(25) }],
    [['/settings', 'addresses:default'], ADDRESS_EXPECTED],
    [['/settings', 'addresses:default', LOOKALIKE], TAP_EXPECTED],
    [[`addresses:use:${LOOKALIKE}`, `addresses:save:${LOOKALIKE}`], TAP_EXPECTED],
    [['/addresses', `addresses:rename:${ADDRESS}`], NAME_EXPECTED, { invalid: 'x'.repeat(25) }],
  ]),
  ...rowsOf('withdraw', [
    [['/withdraw'], 'Send an amount in TRX, like 12.5'],
    [['/withdraw', '12.5'], ADDRESS_EXPECTED],
    [['/withdraw', '12.5', LOOKALIKE], 'last 6 characters', { codes: false }],
  ]),
  ...[
    ...rowsOf('people', [[['/people', 'people:find'], 'Send a Telegram ID like', { invalid: 'no' }]]),
    ...rowsOf('unresolved', [
      [
        ['/unresolved', 'unresolved:one', 'unresolved:failed'],
        'Send one line of 3 to 200 characters',
        { invalid: 'no' },
      ],
    ]),
    ...rowsOf('operator', [
      [['/operator', 'operator:cap'], LIMIT_EXPECTED],
      [['/operator', 'operator:alert'], LIMIT_EXPECTED],
    ]),
    ...rowsOf('broadcast', [
      [toBroadcast, MESSAGE_EXPECTED, { acceptsMessages: true }],
      [[...toBroadcast, 'News'], 'like <code>Label - '],
      [toPreview, TAP_EXPECTED],
      [[...toPreview, answerData('put-ru')], MESSAGE_EXPECTED, { acceptsMessages: true }],
      [toAudience, 'Send a number of days from 1 to 3,650'],
      [toTime, 'Send a UTC time within 30 days'],
      [[...toTime, answerData('now')], TAP_EXPECTED, { tapOnly: answerData('send') }],
    ]),
  ].map((question) => ({ ...question, forAdmins: true as const })),
];

const { features, words } = await openChat('en');
/** Features with questions. */
export const FLOWS = features.flatMap((feature) =>
  feature.flow ? [{ ...feature, flow: feature.flow }] : [],
);

/** Every question of every flow: those above, and the examples that features declare. */
export const QUESTIONS: readonly Question[] = [
  ...LISTED,
  ...FLOWS.flatMap(({ name, menu, flow }) => {
    const forAdmins = [menu ?? []].flat().some((entry) => entry.for === 'admin');
    return (flow.examples ?? []).map(({ inputs, expected }) => ({
      flow: name,
      inputs,
      expected: words.html(expected),
      ...(forAdmins && { forAdmins: true as const }),
    }));
  }),
];

/** Pairs of a test title and its question. */
export const NAMED_QUESTIONS = QUESTIONS.map(
  (question) =>
    [`${question.inputs.join(' ')}${question.codes === false ? ' without codes' : ''}`, question] as const,
);

/**
 * Opens a chat and goes to this question. The account has one subscription and almost no balance, unless it must have
 * funds.
 */
export async function openQuestion(
  {
    inputs,
    flow,
    codes = true,
    forAdmins,
    hasFunds = flow === 'withdraw',
  }: Pick<Question, 'inputs' | 'codes'> & Partial<Question>,
  language: Language = 'en',
) {
  const chat = await openChat(language, forAdmins && { admins: new Set([USER]) });
  // With almost no balance, purchases end at the question about the missing balance.
  chat.setProfile(hasFunds ? '1000.00' : '0.01', { codes });
  chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
  await chat.deps.addressBook.remember(USER, ADDRESS);
  if (inputs.some((one) => one.includes(LOOKALIKE))) await chat.deps.addressBook.remember(USER, KNOWN);
  const lost = inputs.some((one) => one.startsWith('unresolved:')) && (await chat.setup.lost());
  for (const one of inputs) {
    if (one === TO_AMOUNT || one === TO_NOTE) await chat.tapShown(chat.dataWith(one));
    else if (lost && one.startsWith('unresolved:')) await chat.tap(`${one}:${lost.user}_${lost.id}`);
    else await chat.input(one);
  }
  return chat;
}

/** Returns the stored state of the open flow, or an empty one. `step` names its question. */
export async function openStateOf({ setup }: Awaited<ReturnType<typeof openChat>>) {
  const request = { chat: USER, update: 99_999, token: 'a look', leaseMs: 0 };
  const begun = await setup.storage.chats.begin(request);
  const stored = begun.kind === 'granted' ? begun.conversation : undefined;
  return (JSON.parse(stored ?? '{}').state ?? {}) as Record<string, unknown> & { step?: string };
}
