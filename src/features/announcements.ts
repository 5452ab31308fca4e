import { changes, defineFeature, MESSAGE_TTL_MS } from '../bot/feature.ts';
import { changeBroadcastOptOut } from '../bot/middleware/users.ts';
import { show } from '../bot/reply.ts';
import { button, callbackData, withMenuButton } from '../i18n/view.ts';

const NAME = 'announcements';

/** Creates the feature with the buttons that opt out of broadcasts (`optOutRow`) and back in. */
export const announcementsFeature = defineFeature(({ users }) => {
  const turning = (to: 'off' | 'on') =>
    changes(async (ctx) => {
      const { words } = ctx;
      await changeBroadcastOptOut({ users }, ctx, to === 'off');
      const other = to === 'off' ? 'on' : 'off';
      const back = button(words, `button-announcements-${other}`, callbackData(NAME, other));
      await show(ctx, withMenuButton(words, words.html(`announcements-${to}`), [back]));
    }, MESSAGE_TTL_MS);

  // A broadcast can arrive during any flow.
  return { name: NAME, keepsFlow: true, buttons: { off: turning('off'), on: turning('on') } };
});
