import { changes, MESSAGE_TTL_MS } from '../bot/feature.ts';
import type { CreateFeature } from '../bot/feature-deps.ts';
import { show } from '../bot/reply.ts';
import { setQuiet } from '../bot/user-lines.ts';
import { callbackData } from '../i18n/callback-data.ts';
import { button, notice } from '../i18n/view.ts';

const NAME = 'announcements';

/** Creates the feature with the buttons that opt out of broadcasts (`optOutRow`) and back in. */
export const createAnnouncements: CreateFeature = ({ people }) => {
  const turning = (to: 'off' | 'on') =>
    changes(async (ctx) => {
      const { words } = ctx;
      await setQuiet({ people }, ctx, to === 'off');
      const other = to === 'off' ? 'on' : 'off';
      const back = button(words, `button-announcements-${other}`, callbackData(NAME, other));
      await show(ctx, notice(words, words.html(`announcements-${to}`), [back]));
    }, MESSAGE_TTL_MS);

  // A broadcast can arrive during any flow.
  return { name: NAME, keepsFlow: true, buttons: { off: turning('off'), on: turning('on') } };
};
