import { expect, test } from 'vitest';
import { FEATURES } from '../../src/features/features.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { MADE_UP_TEXTS } from '../support/made-up/texts.ts';
import { tipFeature } from '../support/made-up/tip-feature.ts';
import { tip } from '../support/made-up/tip-kind.ts';
import { openChat } from './chat.ts';

test('the examples of a flow with a made-up kind lead to its questions', async () => {
  const { features, ...chat } = await openChat('en', {
    definitions: [...FEATURES, tipFeature],
    kinds: [...KINDS, tip],
    texts: MADE_UP_TEXTS,
  });
  for (const { inputs, expected } of features.at(-1)?.flow?.examples ?? expect.fail('no examples')) {
    await chat.input(...inputs);
    await chat.write('qwerty');
    chat.shows(chat.words.html(expected));
  }
});
