import { configDefaults, defineConfig } from 'vitest/config';
import { APART, COMMON, WITH_OTHERS } from './vitest.config.ts';

/** The rooms by themselves: no Redis, no browser, no other process. */
export default defineConfig({
  test: {
    ...COMMON,
    projects: [
      { extends: true, test: { name: 'apart', include: APART } },
      {
        extends: true,
        test: {
          name: 'rooms',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...APART, ...WITH_OTHERS],
        },
      },
    ],
  },
});
