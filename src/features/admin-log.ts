import type { AdminLogEntry } from '../accounts/admin-log.ts';
import { adminsOnly } from '../bot/admins-only.ts';
import type { BotContext } from '../bot/context.ts';
import { defineFeature } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { formatMoment } from '../i18n/formats.ts';
import { escapeHtml, type Words } from '../i18n/texts.ts';
import { button, callbackData, lines, menuButton, paragraphs } from '../i18n/view.ts';
import { toPrintable } from '../rental-api/schemas.ts';

const NAME = 'admin-log';
const SIZE = 10;
/** Maximum number of characters of an entry's subject. Ten entries must fit in a message. */
const ABOUT_SHOWN = 120;

/** Creates the feature that shows admins what other admins have changed, latest first. */
export const adminLogFeature = defineFeature((deps) => {
  async function page(ctx: BotContext, after?: string): Promise<void> {
    const { words } = ctx;
    const { entries: acts, older, isFirst } = await deps.adminLog.page(SIZE, after);
    const html = paragraphs(
      words.html('admin-log-title'),
      ...acts.map((acted) => entry(words, acted)),
      acts.length === 0 && words.html('admin-log-empty'),
    );
    const turning = [
      ...(isFirst ? [] : [button(words, 'button-newest', callbackData(NAME, 'open'))]),
      ...(older === undefined ? [] : [button(words, 'button-older', callbackData(NAME, 'older', older))]),
    ];
    const admin = button(words, 'button-admin', callbackData('menu', 'admin'));
    const rows = [turning, [admin, menuButton(words)]].filter((row) => row.length > 0);
    await show(ctx, { html, keyboard: rows });
  }

  return adminsOnly(deps, {
    name: NAME,
    button: 'button-admin-log',
    command: { name: 'log', text: 'command-admin-log' },
    open: (ctx) => page(ctx),
    buttons: { older: page },
  });
});

function entry(words: Words, { at, admin, action: act, about }: AdminLogEntry): string {
  const what = words.html(`admin-act-${act}`);
  const told = about === undefined ? '' : toPrintable(about, ABOUT_SHOWN);
  return lines(
    words.html('admin-log-entry', { time: formatMoment(at, words.language), admin: String(admin) }),
    told === '' ? what : `${what} · <code>${escapeHtml(told)}</code>`,
  );
}
