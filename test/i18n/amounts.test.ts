import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { localePlaceables } from '../support/locales.ts';

/** All uses of variables in all texts. */
const ALL = LANGUAGES.flatMap((language) =>
  localePlaceables(language).map((placeable) => ({ language, ...placeable })),
);

/** Text or variable that follows an amount: `</b> TRX`, or the currency of a deposit. */
const CURRENCY = /^(<\/b>)?[ \u00a0]\(?(TRX|USDT|USD|\{currency\})(?![A-Za-z])/;
const isAmount = ({ after, before }: (typeof ALL)[number]) => CURRENCY.test(after) || /\$$/.test(before);

/** Inserted as the service sent it: within `<code>`, and on a button that copies it. */
const isCopied = ({ key, isCode }: (typeof ALL)[number]) => isCode || key.startsWith('button-copy-');

describe('amounts of TRX, USDT and USD', () => {
  test('are formatted with AMOUNT in every text', () => {
    const amounts = ALL.filter((one) => isAmount(one) && !isCopied(one));
    expect(amounts.length).toBeGreaterThan(150);
    expect(amounts.filter((one) => one.calls !== 'AMOUNT')).toEqual([]);
  });

  test('are inserted unchanged if they can be copied', () => {
    const copied = ALL.filter(isCopied);
    expect(copied.map(({ key }) => key)).toContain('invoice-pay-to');
    expect(copied.filter(({ calls }) => calls !== undefined)).toEqual([]);
  });

  test('are formatted in the same texts in every language', () => {
    const [english, ...others] = LANGUAGES.map((language) =>
      ALL.filter((one) => one.language === language && one.calls === 'AMOUNT')
        .map(({ key, name }) => `${key} ${name}`)
        .sort(),
    );
    for (const other of others) expect(other).toEqual(english);
  });
});
