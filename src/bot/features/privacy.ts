import { callbackData } from '../../texts/callback-data.ts';
import { button, menuButton, paragraphs } from '../../texts/view.ts';
import type { BotContext } from '../context.ts';
import { ownOperations } from '../own-operations.ts';
import { sendFile, show } from '../reply.ts';
import { linkedOf } from '../with-account.ts';
import type { CreateFeature } from './feature-deps.ts';

const NAME = 'privacy';
const DAY_MS = 24 * 3600_000;

/** What is kept of whoever asks, where and for how long, and a copy of it: Telegram's terms ask every bot for it. */
export const createPrivacy: CreateFeature = (deps) => {
  const { people, addressBook, noticeSettings, operations, invoices, outbox, announced, supportUrl, now } =
    deps;

  /** All that is kept under their number; the key of their account is kept sealed, and is in no copy. */
  async function copyOf(ctx: BotContext, user: number): Promise<object> {
    const [person, link, addresses, notices, untold, bought, made] = await Promise.all([
      people.find(user),
      linkedOf(deps, ctx)?.find(),
      addressBook.known(user),
      noticeSettings.of(user),
      outbox.untold(user),
      ownOperations(operations, user),
      invoices.of(user),
    ]);
    const withdrawnTo = link ? await announced.of(user, link.account) : [];
    const day = (days: number) => new Date(days * DAY_MS).toISOString().slice(0, 10);
    return {
      user,
      asOf: new Date(now()).toISOString(),
      person: person && { ...person, first: day(person.first), last: day(person.last) },
      link: link && { ...link, key: 'sealed, and in no copy' },
      session: ctx.session,
      addresses,
      withdrawnTo,
      notices,
      untold: untold.map(({ kind, account, data, at }) => ({ kind, account, data, at })),
      operations: bought,
      invoices: made.map(({ cards: _, share: __, ...invoice }) => invoice),
    };
  }

  return {
    name: NAME,
    command: { name: 'privacy', text: 'command-privacy' },
    async open(ctx) {
      const { words } = ctx;
      const html = paragraphs(
        words.html('privacy'),
        words.html('privacy-elsewhere'),
        words.html('privacy-forget', { button: words.plain('button-forget') }),
        supportUrl && words.html('help-support', { url: supportUrl }),
      );
      const copy = button(words, 'button-privacy-copy', callbackData(NAME, 'copy'));
      const forget = button(words, 'button-forget', callbackData('forget', 'open'));
      await show(ctx, { html, keyboard: [[copy], [forget], [menuButton(words)]] });
    },
    buttons: {
      async copy(ctx) {
        const { words, from } = ctx;
        if (from === undefined) return;
        const text = JSON.stringify(await copyOf(ctx, from.id), undefined, 2);
        const file = { name: `kept-${new Date(now()).toISOString().slice(0, 10)}.json`, text };
        if (!(await sendFile(ctx, file, words.html('privacy-file'))))
          ctx.toast = words.plain('toast-file-slow');
      },
    },
  };
};
