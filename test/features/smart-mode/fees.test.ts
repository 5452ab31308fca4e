import { describe, expect, test } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/i18n/texts.ts';
import { answerData } from '../../../src/views/callback-data.ts';
import { operationIn } from '../../operations/cards.ts';
import { SMART_MODE, START } from '../../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  accepted,
  logged,
  OFFLINE,
  subscription,
} from '../../operations/rental-stand-in.ts';
import { type Chat, OTHER_ADDRESS, openChat } from '../chat.ts';

/** Inputs that lead to the card, with or without BW Guarantee. */
const toCard = (guarantee: 'on' | 'off') => [
  ...['/smart', 'smart-mode:start', OTHER_ADDRESS],
  ...[answerData('none'), answerData(guarantee)],
];

/** Remembers fees that the service named to an account, in TRX. */
async function named(
  { setup }: Chat,
  { account = ACCOUNT, guarantee = true }: { account?: number; guarantee?: boolean } = {},
) {
  const request = { ...SMART_MODE, guarantee };
  const operation = operationIn('sent', { account, request, attempt: { sentAt: START } });
  await setup.operations.fees.record(operation, { price: '1.50', transferFee: '2.80' });
}

async function cardIn(language: Language, guarantee: 'on' | 'off', prepare?: (chat: Chat) => unknown) {
  const chat = await openChat(language);
  await prepare?.(chat);
  await chat.input(...toCard(guarantee));
  return chat;
}

describe('the card of a start', () => {
  test('says before Confirm which fees are known and which are not', async () => {
    const chat = await cardIn('en', 'on');
    chat.shows(
      'Daily fee: <b>not known yet</b>',
      'Per transfer, bandwidth included: <b>not known yet</b>',
      'That includes 0.30 TRX for bandwidth',
      'For comparison: 2.70 TRX for a single transfer, bandwidth included',
      "The service names a fee that isn't known yet only after you confirm. You'll see it on the receipt and in <i>🔁 Smart Mode</i>. Too high? End it there, and no further fees are charged.",
    );
    const russian = await cardIn('ru', 'on');
    russian.shows(
      'Плата за сутки: <b>пока неизвестна</b>',
      'Пока неизвестную плату сервис назовёт только после',
    );
  });

  test('compares with a transfer without bandwidth if that was not chosen', async () => {
    const chat = await cardIn('en', 'off');
    chat.shows('Per transfer: <b>not known yet</b>', 'For comparison: 2.40 TRX for a single transfer\n');
    expect(chat.html()).not.toContain('bandwidth');
  });

  test('has no comparison if the service does not list its prices', async () => {
    const chat = await cardIn('en', 'on', ({ setup }) =>
      setup.rental.packageTiers.mockResolvedValue(OFFLINE),
    );
    chat.shows('That includes 0.30 TRX for bandwidth');
    expect(chat.html()).not.toContain('comparison');
  });

  test('shows fees that another account was charged, with their day', async () => {
    const prepare = (chat: Chat) => named(chat, { account: ACCOUNT + 1 });
    const chat = await cardIn('en', 'on', prepare);
    chat.shows(
      'Daily fee: <b>1.50 TRX</b> when last charged, 1 Jun (may differ for you)',
      'Per transfer, bandwidth included: <b>2.80 TRX</b> as of 1 Jun (may differ for you)',
    );
    expect(chat.html()).not.toMatch(/0\.30|comparison|only after/);
    const russian = await cardIn('ru', 'on', prepare);
    russian.shows('<b>1,50\u00a0TRX</b> при последнем списании, 01.06 (у вас может отличаться)');
    russian.shows('За перевод вместе с bandwidth: <b>2,80\u00a0TRX</b> на 01.06 (у вас может отличаться)');
  });

  test('shows the fees of the own account as such, each once', async () => {
    const chat = await cardIn('en', 'on', (chat) => named(chat));
    chat.shows('<b>1.50 TRX</b> when last charged, 1 Jun\n', '<b>2.80 TRX</b> as of 1 Jun\n');
    expect(chat.html().split('1.50')).toHaveLength(2);
  });

  test('names one unknown fee', async () => {
    const chat = await cardIn('en', 'on', async ({ setup }) => {
      const operation = operationIn('sent', { request: SMART_MODE, attempt: { sentAt: START } });
      await setup.operations.fees.record(operation, { price: '1.50' });
    });
    chat.shows('<b>1.50 TRX</b> when last charged', 'Per transfer, bandwidth included: <b>not known yet</b>');
    chat.shows("The service names a fee that isn't known yet only after you confirm.");
  });

  test('subtracts bandwidth from the known fee with it', async () => {
    const chat = await cardIn('en', 'off', (chat) => named(chat));
    chat.shows('Per transfer: <b>2.50 TRX</b> as of 1 Jun');
  });

  test('adds bandwidth to the known fee without it', async () => {
    const chat = await cardIn('en', 'on', (chat) => named(chat, { guarantee: false }));
    chat.shows('Per transfer, bandwidth included: <b>3.10 TRX</b> as of 1 Jun');
  });

  test('asks for a deposit only by a fee of the own account', async () => {
    const poor = async (chat: Chat, account: number) => {
      chat.setProfile('1.00');
      await named(chat, { account });
    };
    const others = await cardIn('en', 'on', (chat) => poor(chat, ACCOUNT + 1));
    expect(others.dataWith('confirm')).not.toBe('');
    others.shows('may not cover the first daily fee');
    expect(others.data()).toContain('deposit:open');
    const empty = await cardIn('en', 'on', (chat) => chat.setProfile('0.00'));
    empty.shows('may not cover the first daily fee');
    const enough = await cardIn('en', 'on');
    expect(enough.html()).not.toContain('may not cover');
    expect(enough.data()).not.toContain('deposit:open');
    const own = await cardIn('en', 'on', (chat) => poor(chat, ACCOUNT));
    expect(own.dataWith('confirm')).toBe('');
  });
});

test('the receipt of a start whose reply was lost names the fees of its card', async () => {
  const chat = await openChat('en');
  const fee = { day: '2025-06-01', isOwn: true };
  const fees = { daily: { trx: '1.50', ...fee }, transfer: { trx: '2.80', ...fee }, guarantee: '0.30' };
  const request = { ...SMART_MODE, fees };
  const { html } = await chat.deps.card(
    chat.words,
    operationIn('done', { request, result: { status: 'active' } }),
  );
  for (const text of ['Daily fee: <b>1.50 TRX</b> when last charged, 1 Jun', '<b>2.80 TRX</b> as of 1 Jun'])
    expect(html).toContain(text);
  expect(html).not.toContain('unknown');
});

test('a question about prices below the card is answered with the fees of Smart Mode', async () => {
  const chat = await cardIn('en', 'on', (chat) => named(chat));
  const before = chat.views().length;
  await chat.write('what does it cost?');
  const [reply] = chat.views().slice(before);
  expect(reply?.html).toContain('Daily fee: <b>1.50 TRX</b>');
  expect(reply?.html).not.toContain('Current prices');
  chat.shows('Review and confirm');
});

describe.each(LANGUAGES)('the list in %s', (language) => {
  test('shows fees of the account, and that charges are not reported', async () => {
    const chat = await openChat(language);
    chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
    await named(chat);
    await chat.write('/smart');
    const [daily, transfer, charged] =
      language === 'en'
        ? [
            '1.50 TRX a day (as of 1 Jun)',
            '2.80 TRX a transfer (as of 1 Jun)',
            'Charged so far: not reported',
          ]
        : [
            '1,50\u00a0TRX за сутки (на 01.06)',
            '2,80\u00a0TRX за перевод (на 01.06)',
            'Списано: сервис не сообщил',
          ];
    chat.shows(`\n${daily}\n${transfer}\n${charged}`);
  });
});

describe('the list', () => {
  test('shows before an address is asked which fees are known and which are not', async () => {
    const chat = await openChat('en');
    await chat.write('/smart');
    chat.shows(
      'Daily fee: <b>not known yet</b>\nPer transfer: <b>not known yet</b>\n',
      'only after you confirm',
    );
    await named(chat, { account: ACCOUNT + 1 });
    await chat.write('/smart');
    chat.shows(
      '<b>1.50 TRX</b> when last charged, 1 Jun (may differ for you)',
      '<b>2.50 TRX</b> as of 1 Jun',
    );
    expect(chat.html()).not.toMatch(/not known|only after/);
  });

  const transfer = (id: number, fee: unknown, more: object = {}) =>
    logged(id, START, {
      type: 'smart_mode.transfer',
      data: { transfer_id: id, subscription_id: 12, fee_trx: fee, ...more },
    });

  async function listed(log: Parameters<typeof accepted<ReturnType<typeof transfer>[]>>[0]) {
    const chat = await openChat('en');
    const { rental } = chat.setup;
    rental.subscriptions.mockResolvedValue(accepted([]));
    rental.activateSmartMode.mockResolvedValueOnce(
      accepted(subscription({ subscription_fee_trx: '1.6', transfer_fee_trx: '2.9' })),
    );
    const started = await chat.setup.claimed({ request: SMART_MODE });
    await chat.setup.advance(started);
    // Fees that the service named later, for another subscription.
    await named(chat);
    rental.subscriptions.mockResolvedValue(accepted([subscription()]));
    rental.webhookLogs.mockResolvedValue(accepted(log));
    await chat.write('/smart');
    return chat;
  }

  test('adds up the first day and the reported transfers of the subscription, each once', async () => {
    const chat = await listed([
      transfer(1, '2.8'),
      { ...transfer(1, '2.8'), id: 9 },
      transfer(2, '3.1'),
      transfer(3, '9.9', { subscription_id: 13 }),
      transfer(4, 'a lot'),
      transfer(5, '-4'),
      transfer(6, '0.5', { subscription_id: undefined }),
      transfer(7, '0.7', { subscription_id: undefined, address: OTHER_ADDRESS }),
      { ...transfer(8, '7'), event_type: 'order.filled' },
    ]);
    chat.shows('1.60 TRX a day (as of 1 Jun)\n2.90 TRX a transfer (as of 1 Jun)\n');
    chat.shows('Charged so far: at least 8.00 TRX');
    chat.shows("It doesn't report later daily fees.");
  });

  test('does not count a transfer without an id that is older than the subscription', async () => {
    const old = { ...transfer(1, '2.8', { subscription_id: undefined }), created_at: '2025-05-31T12:00:00Z' };
    (await listed([old])).shows('Charged so far: at least 1.60 TRX');
  });

  test('says that transfers are missing if the log cannot be read', async () => {
    const chat = await openChat('en');
    chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
    chat.setup.rental.webhookLogs.mockResolvedValue(OFFLINE);
    await chat.write('/smart');
    chat.shows('Charged so far: not reported', 'but no transfers');
  });
});

test.each(['is it expensive?', 'what does it cost?', 'price'])(
  'answers %s within the flow with its fees, and asks again',
  async (asked) => {
    const chat = await openChat('en');
    chat.setup.operations.fees.recall = async () => ({
      own: { daily: { trx: '1.50', day: '2025-05-31' } },
      ofAnyAccount: {},
    });
    await chat.tap('smart-mode:start');
    await chat.expectReply(asked, 'Daily fee: <b>1.50 TRX</b>', 'Per transfer: ', '1/3');
    await chat.write(ADDRESS);
    await chat.expectReply(asked, 'Daily fee: <b>1.50 TRX</b>', '2/3');
    await chat.write('Shop');
    await chat.expectReply(asked, 'Daily fee: <b>1.50 TRX</b>', '3/3');
  },
);

describe('/smart with an address', () => {
  test('does not add bandwidth unasked', async () => {
    const chat = await openChat('en');
    await named(chat);
    await chat.write(`/smart ${OTHER_ADDRESS} Main wallet`);
    chat.shows('🔁 Start Smart Mode · <code>Main wallet</code>', 'Per transfer: <b>2.50 TRX</b> as of');
    expect(chat.html()).not.toContain('bandwidth');
  });

  test.each(['active', 'paused'])('shows the subscription that the address has: %s', async (status) => {
    const chat = await openChat('en');
    const other = subscription({ id: 13, address: OTHER_ADDRESS });
    chat.setup.rental.subscriptions.mockResolvedValue(accepted([other, subscription({ status })]));
    await chat.write(`/smart ${ADDRESS}`);
    chat.shows('<b>This address already has Smart Mode.</b>', `1. `, `<code>${ADDRESS}</code>`);
    expect(chat.html()).not.toContain(OTHER_ADDRESS);
    expect(chat.html()).not.toContain('The service keeps');
    expect(chat.dataWith('confirm')).toBe('');
    expect(chat.data()).toContain(status === 'active' ? 'smart-mode:pause:12' : 'smart-mode:resume:12');
  });

  test('shows the subscription although the balance does not cover another one', async () => {
    const chat = await openChat('en');
    chat.setProfile('1.00');
    await named(chat);
    chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
    await chat.write(`/smart ${ADDRESS}`);
    chat.shows('<b>This address already has Smart Mode.</b>');
  });

  test('asks no further questions about an address that has a subscription', async () => {
    const chat = await openChat('en');
    chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
    await chat.input('/smart', 'smart-mode:start', ADDRESS);
    chat.shows('<b>This address already has Smart Mode.</b>');
  });

  test('shows the card if the list cannot be read', async () => {
    const chat = await openChat('en');
    chat.setup.rental.subscriptions.mockResolvedValue(OFFLINE);
    await chat.write(`/smart ${ADDRESS}`);
    expect(chat.dataWith('confirm')).not.toBe('');
  });
});
