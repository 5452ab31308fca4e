import { z } from 'zod';
import type { FeatureDeps } from '../../bot/feature.ts';
import { defineFeatureNotification, singleView } from '../../notifications/kinds.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, withAdminButtons } from '../../views/view.ts';

export const ERASED = defineFeatureNotification({
  name: 'people-erased',
  data: z.object({ user: z.number() }),
  isMoney: false,
  view: singleView((words, { user }) =>
    withAdminButtons(words, words.html('person-erase-done', { user: String(user) }), [
      button(words, 'button-operation-user', callbackData('people', 'one', user)),
    ]),
  ),
  samples: [{ user: 7_000_000_001 }],
});

/** Creates the function that tells an admin that a user is erased, once for each confirmation. */
export function createErasureReporter({ notify, isAdmin }: Pick<FeatureDeps, 'notify' | 'isAdmin'>) {
  return async ({
    user,
    askedAt,
    admin,
  }: {
    user: number;
    askedAt: number;
    admin: number;
  }): Promise<void> => {
    if (isAdmin(admin)) await notify(ERASED, { user: admin, id: `${user}:${askedAt}`, data: { user } });
  };
}
