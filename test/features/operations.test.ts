import { describe, expect, test } from 'vitest';
import { LANGUAGES, type Language } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { BANDWIDTH, USER } from '../operations/operations-setup.ts';
import { rejected } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

const DAY_MS = 24 * 3600_000;
const open = (language: Language = 'en') => openChat(language, { isAdmin: () => true });

describe('the operation figures', () => {
  test('count outcomes by kind for today, 7 days and 30 days', async () => {
    const chat = await open();
    const { setup } = chat;
    await setup.advance(await setup.claimed({ user: USER + 1 }));
    setup.clock.now += DAY_MS;
    await setup.advance(await setup.claimed({ user: USER + 2 }));
    setup.rental.buyBandwidth.mockResolvedValueOnce(rejected(400, 'NO'));
    await setup.advance(await setup.claimed({ user: USER + 3, request: BANDWIDTH }));
    await setup.lost({ user: USER + 4 });
    await setup.pass(3_000);
    await chat.write('/operations');
    expect(chat.last().html.split('\n')).toEqual([
      '<b>📊 Operations</b> · 2 June (UTC)',
      '',
      'How many ended how: today · within 7 days · within 30 days',
      '',
      '⚡ Energy',
      '✅ done: <b>1</b> · <b>2</b> · <b>2</b>',
      '',
      '📶 Bandwidth',
      '❌ refused, nothing charged: <b>1</b> · <b>1</b> · <b>1</b>',
      '',
      '⚠️ Unresolved now: <b>1</b>',
      '',
      '<i>As of 12:00:03.</i>',
    ]);
    expect(Object.values(buttonsOf(chat.last()))).toEqual([
      ...['operations:open', 'unresolved:open', 'menu:admin', 'menu:open'],
    ]);
  });

  test.each(LANGUAGES)(
    'say so if there are none, and fit one message with every kind (%s)',
    async (language) => {
      const chat = await open(language);
      await chat.write('/operations');
      expect(chat.last().html).toContain(chat.words.html('operations-none'));
      const of = () => 1e15;
      const counts = { upTo: async () => [of, of, of], close: async () => {} };
      const operations = { ...chat.setup.operations, settledCounts: counts as never };
      const full = await openChat(language, { isAdmin: () => true, operations });
      await full.write('/operations');
      expectWithinLimits(full.last());
      expect(full.last().html.split('<b>').length).toBeGreaterThan(3 * 4 * 6);
    },
  );
});
