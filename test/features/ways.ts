import type { Language } from '../../src/i18n/texts.ts';
import { answerData, callbackData, readAnswer } from '../../src/i18n/view.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS, accepted, profileOf, subscription } from '../operations/rental-stand-in.ts';
import { TEXTS } from '../support/texts.ts';
import { openChat } from './chat.ts';
import { sell } from './sold.ts';

/** Steps to a question, and the reply to an answer without text. */
export interface Way {
  /** Name of the feature that asks the question. */
  flow: string;
  /** Texts to send and callback data to tap, in order. */
  said: readonly string[];
  wants: string;
  /** Only admins get this question. */
  isAdmins?: true;
  /** Almost any kind of message is a valid answer. */
  takesMessages?: true;
  /** Callback data of an answer that must be tapped, not typed. */
  byTap?: string;
  /** An invalid answer, for questions that accept almost any text. */
  wrong?: string;
  /** Whether the account has 2FA. Default: `true`. */
  codes?: boolean;
}

const TO = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
/** A known address, and one with the same first and last characters. */
const [KNOWN, ALIKE] = ['TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk', 'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk'];
const hours = answerData('24');
const holder = answerData('holder');
const address = 'Send the address as text';
const tap = 'Please tap one of the buttons';
const ends = 'last 6 characters';
const start = ['smart-mode:start'];
const making = ['/broadcast', 'broadcast:new'];
const made = [...making, 'News', answerData('none')];
const whom = [...made, answerData('next')];
const when = [...whom, answerData('everybody')];
const notSent = "That can't be sent to many. Expected: a text";
/** Placeholder for the Again button on the receipt of an invoice. */
const AGAIN = 'operation:again';

/** Steps to the questions of the flows that declare no examples. Purchases end at the question about the missing balance. */
const WRITTEN: readonly Way[] = [
  { flow: 'energy', said: ['/buy'], wants: address },
  { flow: 'energy', said: ['/buy', ADDRESS], wants: 'Tap one of the buttons, or write an exact amount' },
  { flow: 'energy', said: ['/buy', ADDRESS, answerData('several')], wants: 'Write a whole number from 1' },
  { flow: 'energy', said: ['/buy', ADDRESS, answerData('exact')], wants: 'Write a whole number from 32,000' },
  { flow: 'energy', said: ['/buy', ADDRESS, holder], wants: 'Choose 1 hour or 24 hours' },
  { flow: 'energy', said: ['/buy', ADDRESS, holder, hours], wants: tap },
  { flow: 'bandwidth', said: ['/bandwidth'], wants: address },
  { flow: 'bandwidth', said: ['/bandwidth', ADDRESS], wants: 'Write a whole number from 350' },
  {
    flow: 'bandwidth',
    said: ['/bandwidth', ADDRESS, answerData('350')],
    wants: 'Write a whole number of hours',
  },
  { flow: 'bandwidth', said: ['/bandwidth', ADDRESS, answerData('350'), hours], wants: tap },
  { flow: 'activation', said: ['/activate'], wants: address },
  { flow: 'activation', said: ['/activate', ADDRESS], wants: tap },
  { flow: 'smart-mode', said: start, wants: address },
  { flow: 'smart-mode', said: [...start, ADDRESS], wants: 'Write a name of one to 32 characters' },
  { flow: 'smart-mode', said: [...start, ADDRESS, answerData('none')], wants: tap },
  { flow: 'smart-mode', said: ['smart-mode:end:12'], wants: tap },
  { flow: 'invoice', said: ['/invoice'], wants: address },
  { flow: 'invoice', said: ['/invoice', ADDRESS], wants: 'Write a number of transfers from 1 to 100' },
  { flow: 'invoice', said: ['/invoice', ADDRESS, answerData('2')], wants: 'Choose 1 hour or 24 hours' },
  {
    flow: 'invoice',
    said: ['/invoice', ADDRESS, answerData('2'), answerData('1')],
    wants: 'Write one line of up to 100 characters',
  },
  { flow: 'invoice', said: [AGAIN], wants: 'Write one line of up to 100 characters' },
  { flow: 'invoice', said: [AGAIN, answerData('customer')], wants: address },
  {
    flow: 'notifications',
    said: ['/notifications', 'notifications:low-balance'],
    wants: 'Write an amount of TRX, like 50',
  },
  {
    flow: 'packages',
    said: ['/packages', 'packages:custom'],
    wants: 'Write a whole number of transfers from 1 to 10,000',
  },
  { flow: 'addresses', said: ['/addresses', 'addresses:add'], wants: address },
  { flow: 'addresses', said: ['/addresses', 'addresses:add', ALIKE], wants: tap },
  {
    flow: 'addresses',
    said: ['/addresses', `addresses:rename:${ADDRESS}`],
    wants: 'Write a name of 1 to 24 characters',
    wrong: 'x'.repeat(25),
  },
  { flow: 'people', said: ['/people', 'people:find'], wants: 'That is neither. Expected', isAdmins: true },
  {
    flow: 'unresolved',
    said: ['/unresolved', 'unresolved:one', 'unresolved:failed'],
    wants: 'Write one line of 3 to 200 characters',
    wrong: 'no',
    isAdmins: true,
  },
  {
    ...{ flow: 'operator', said: ['/operator', 'operator:cap'], isAdmins: true },
    wants: 'Write an amount of TRX, like 100',
  },
  {
    ...{ flow: 'operator', said: ['/operator', 'operator:alert'], isAdmins: true },
    wants: 'Write an amount of TRX, like 100',
  },
  ...[
    { said: making, wants: notSent, takesMessages: true as const },
    { said: [...making, 'News'], wants: 'I see no line in that' },
    { said: made, wants: tap },
    { said: [...made, answerData('put-ru')], wants: notSent, takesMessages: true as const },
    { said: whom, wants: 'write a whole number of days from 1 to 3,650' },
    { said: when, wants: 'I see no time in that' },
    { said: [...when, answerData('now')], wants: tap, byTap: answerData('send') },
  ].map((way): Way => ({ flow: 'broadcast', isAdmins: true, ...way })),
  { flow: 'withdraw', said: ['/withdraw'], wants: 'Write an amount of TRX, like 12.5' },
  { flow: 'withdraw', said: ['/withdraw', '12.5'], wants: address },
  { flow: 'withdraw', said: ['/withdraw', '12.5', TO], wants: ends, codes: false },
];

/** Steps to every question of every flow: those above, and the examples that features declare. */
export const WAYS: readonly Way[] = [...WRITTEN, ...(await declaredWays())];

async function declaredWays(): Promise<Way[]> {
  const { features } = await openChat('en');
  const words = TEXTS.in('en');
  return features.flatMap(({ name, menu, flow }) => {
    const isAdmins = [menu ?? []].flat().some((entry) => entry.for === 'admin');
    return (flow?.examples ?? []).map(({ inputs, expected }) => ({
      flow: name,
      said: inputs,
      wants: words.html(expected),
      ...(isAdmins && { isAdmins: true as const }),
    }));
  });
}

/** Pairs of a test title and its steps. */
export const NAMED = WAYS.map((way) => {
  const { said, codes = true } = way;
  return [`${said.join(' ')}${codes ? '' : ' without codes'}`, way] as const;
});

const isTap = (said: string) => readAnswer(said) !== undefined || /^[a-z-]+:/.test(said);

/**
 * Opens a chat and performs these steps. The account has one subscription and almost no balance, except for withdrawals.
 */
export async function ask(
  { said, flow, codes = true, isAdmins }: Pick<Way, 'said' | 'codes'> & Partial<Way>,
  language: Language = 'en',
) {
  const isDeciding = said.some((one) => one.startsWith('unresolved:'));
  const chat = await openChat(language, isAdmins && { isAdmin: () => true });
  const { rental } = chat.setup;
  // With almost no balance, purchases end at the question about the missing balance.
  const profile = profileOf(flow === 'withdraw' ? '1000.00' : '0.01');
  rental.profile.mockResolvedValue({ ...profile, value: { ...profile.value, totp_enabled: codes } });
  rental.subscriptions.mockResolvedValue(accepted([subscription()]));
  await chat.deps.addressBook.remember(USER, ADDRESS);
  if (said.includes(ALIKE)) await chat.deps.addressBook.remember(USER, KNOWN);
  const sold = said.includes(AGAIN) && (await sell(chat));
  const lost = isDeciding && (await chat.setup.lost());
  for (const one of said) {
    const meant =
      sold && one === AGAIN
        ? callbackData('operation', 'again', sold.id)
        : lost && one.startsWith('unresolved:')
          ? `${one}:${lost.user}_${lost.id}`
          : one;
    await (isTap(meant) ? chat.tap(meant) : chat.write(meant));
  }
  return chat;
}
