import { z } from 'zod';
import { defineFeature } from '../../bot/feature.ts';
import { sendFile, showText, showToast } from '../../bot/reply.ts';
import type { TextKey } from '../../i18n/keys.ts';
import { lines, paragraphs } from '../../i18n/texts.ts';
import { roundUpToMinutes } from '../../platform/clock.ts';
import { readJson } from '../../platform/records.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button } from '../../views/view.ts';
import { copyOfUserData, type UserCopyDeps } from '../views/user-data.ts';

const NAME = 'privacy';
interface PrivacyDeps extends UserCopyDeps {
  privacyLines: readonly TextKey[];
}

/** Shows what is stored about the user, and sends a copy. Telegram's terms require this of every bot. */
export const privacyFeature = defineFeature((deps: PrivacyDeps) => {
  const { supportUrl, privacyLines } = deps;

  return {
    name: NAME,
    command: { name: 'privacy', text: 'command-privacy' },
    keepsFlow: true,
    forSuspended: true,
    async open(ctx) {
      const { words } = ctx;
      const html = paragraphs(
        words.html('privacy'),
        supportUrl && words.html('operation-support', { url: supportUrl }),
      );
      const details = button(words, 'button-privacy-details', callbackData(NAME, 'details'));
      const copy = button(words, 'button-privacy-copy', callbackData(NAME, 'copy'));
      const forget = button(words, 'button-forget', callbackData('forget', 'open'));
      await showText(ctx, html, [details, copy], [forget]);
    },
    buttons: {
      async details(ctx) {
        const { words } = ctx;
        const html = paragraphs(
          words.html('privacy-details'),
          lines(...privacyLines.map((text) => words.html(text))),
          words.html('privacy-elsewhere'),
        );
        await showText(ctx, html, [button(words, 'button-back', callbackData(NAME, 'open'))]);
      },
      async copy(ctx) {
        const { words, from } = ctx;
        const { tx } = ctx;
        const made = await copyOfUserData(deps, from.id, {
          fileName: 'my-data',
          // Both as stored before this tap, which leaves an open flow.
          session: readJson(z.unknown(), tx.session) ?? {},
          openQuestion: readJson(z.unknown(), tx.loadedConversation),
        });
        if ('waitMs' in made)
          return showToast(ctx, 'toast-privacy-wait', { minutes: roundUpToMinutes(made.waitMs) });
        if (!(await sendFile(ctx, made, words.html('privacy-file')))) showToast(ctx, 'toast-file-slow');
      },
    },
  };
});
