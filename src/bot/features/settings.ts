import type { Link } from '../../accounts/link.ts';
import { callbackData } from '../../texts/callback-data.ts';
import { LANGUAGES, type Words } from '../../texts/texts.ts';
import { button, inRows, notice, paragraphs, type View } from '../../texts/view.ts';
import { openFlow } from '../conversation-storage.ts';
import { leaveFlow } from '../leave-flow.ts';
import { setQuiet } from '../quiet-people.ts';
import { show } from '../reply.ts';
import { linkedOf } from '../with-account.ts';
import type { CreateFeature } from './feature-deps.ts';

const NAME = 'settings';

/** The language, the order of the menu, and whether the operator's news are wanted. */
export const createSettings: CreateFeature = ({ texts, links, people, openMenu, features }) => ({
  name: NAME,
  keepsFlow: true,
  menu: { button: 'button-settings', place: 'more', for: 'anyone' },
  command: { name: 'settings', text: 'command-settings' },
  async open(ctx) {
    const [link, person] = await Promise.all([
      linkedOf({ links }, ctx)?.find(),
      ctx.from && people.find(ctx.from.id),
    ]);
    await show(ctx, settings(ctx.words, { link, isQuiet: person?.isQuiet }));
  },
  buttons: {
    async sell(ctx, chosen) {
      const link = await linkedOf({ links }, ctx)?.find();
      if (ctx.from === undefined || link === undefined) {
        ctx.toast = ctx.words.plain('toast-over');
        return;
      }
      const sells = chosen === 'yes';
      ctx.tx.signal.throwIfAborted();
      await links.sell(ctx.from.id, sells);
      delete ctx.linked;
      const { isQuiet } = (await people.find(ctx.from.id)) ?? {};
      await show(ctx, settings(ctx.words, { link: { ...link, sells }, isQuiet }));
    },
    async news(ctx, chosen) {
      const isQuiet = chosen === 'off';
      await setQuiet({ people }, ctx, isQuiet);
      const link = await linkedOf({ links }, ctx)?.find();
      await show(ctx, settings(ctx.words, { link, isQuiet }));
    },
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

/** Who has no account sells nothing, and is asked nothing about it. */
function settings(
  words: Words,
  { link, isQuiet = false }: { link: Link | undefined; isQuiet: boolean | undefined },
): View {
  const others = LANGUAGES.filter((language) => language !== words.language).map((language) => ({
    text: words.plain(`language-${language}`),
    callback_data: callbackData(NAME, 'language', language),
  }));
  const [key, next] = link?.sells
    ? (['button-sells-not', 'no'] as const)
    : (['button-sells', 'yes'] as const);
  const selling = link ? [[button(words, key, callbackData(NAME, 'sell', next))]] : [];
  const [newsKey, nextNews] = isQuiet
    ? (['button-settings-news', 'on'] as const)
    : (['button-settings-news-not', 'off'] as const);
  const news = [button(words, newsKey, callbackData(NAME, 'news', nextNews))];
  const html = paragraphs(
    words.html('settings-card'),
    link && words.html('settings-selling', { sells: link.sells ? 'yes' : 'no' }),
    words.html('settings-news', { news: isQuiet ? 'off' : 'on' }),
  );
  const kept = [button(words, 'button-privacy', callbackData('privacy', 'open'))];
  return notice(words, html, ...inRows(others), ...selling, news, kept);
}
