import { callbackData } from '../../texts/callback-data.ts';
import { LANGUAGES } from '../../texts/texts.ts';
import { inRows, notice } from '../../texts/view.ts';
import { openFlow } from '../conversation-storage.ts';
import { leaveFlow } from '../leave-flow.ts';
import { show } from '../reply.ts';
import type { CreateFeature } from './feature.ts';

const NAME = 'settings';

/** The language. */
export const createSettings: CreateFeature = ({ texts, links, openMenu, features }) => ({
  name: NAME,
  keepsFlow: true,
  menu: { button: 'button-settings', place: 'more', for: 'anyone' },
  command: { name: 'settings', text: 'command-settings' },
  async open(ctx) {
    const { words } = ctx;
    const others = LANGUAGES.filter((language) => language !== words.language).map((language) => ({
      text: words.plain(`language-${language}`),
      callback_data: callbackData(NAME, 'language', language),
    }));
    await show(ctx, notice(words, words.html('settings-card'), ...inRows(others)));
  },
  buttons: {
    async language(ctx, chosen) {
      const language = LANGUAGES.find((one) => one === chosen);
      if (language === undefined || ctx.from === undefined) {
        ctx.toast = ctx.words.plain('toast-over');
        return;
      }
      ctx.session.language = language;
      ctx.words = texts.in(language);
      ctx.tx.signal.throwIfAborted();
      await links.speak(ctx.from.id, language);
      const open = openFlow(features(), ctx);
      leaveFlow(ctx);
      if (open === undefined) return openMenu(ctx);
      // It isn't left: its question is asked again.
      delete ctx.lead;
      ctx.entering = open;
    },
  },
});
