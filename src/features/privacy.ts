import { createPrivacyCopy } from '../bot/erase-user-views.ts';
import { defineFeature } from '../bot/feature.ts';
import { sendFile, show } from '../bot/reply.ts';
import { button, callbackData, lines, menuButton, paragraphs } from '../i18n/view.ts';

const NAME = 'privacy';
const MINUTE_MS = 60_000;

/**
 * Creates the feature that shows what is stored about the user, where and for how long, and sends a copy. Telegram's
 * terms require this of every bot.
 */
export const privacyFeature = defineFeature((deps) => {
  const { supportUrl, privacyLines, now } = deps;
  const copyOf = createPrivacyCopy(deps);

  return {
    name: NAME,
    command: { name: 'privacy', text: 'command-privacy' },
    async open(ctx) {
      const { words } = ctx;
      const html = paragraphs(
        words.html('privacy'),
        lines(...privacyLines.map((text) => words.html(text))),
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
        const made = await copyOf(ctx, from.id);
        if ('waitMs' in made) {
          ctx.toast = words.plain('toast-privacy-wait', { minutes: Math.ceil(made.waitMs / MINUTE_MS) });
          return;
        }
        const file = { name: `kept-${new Date(now()).toISOString().slice(0, 10)}.json`, text: made.text };
        if (!(await sendFile(ctx, file, words.html('privacy-file'))))
          ctx.toast = words.plain('toast-file-slow');
      },
    },
  };
});
