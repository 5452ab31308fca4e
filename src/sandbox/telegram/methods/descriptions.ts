import { badRequest } from '../refusal.ts';
import { languageCode, text } from './fields.ts';
import { checkLanguage } from './languages.ts';
import { method } from './method.ts';

export const setMyDescription = method(
  'setMyDescription',
  { description: text.default(''), language_code: languageCode },
  ({ description, language_code }, { profile }) => {
    if (description.length > 512) throw badRequest('description is too long');
    profile.descriptions.set(checkLanguage(language_code), description);
    return true;
  },
);

export const getMyDescription = method(
  'getMyDescription',
  { language_code: languageCode },
  ({ language_code }, { profile }) => ({
    description: profile.descriptions.get(checkLanguage(language_code)) ?? '',
  }),
);

export const setMyShortDescription = method(
  'setMyShortDescription',
  { short_description: text.default(''), language_code: languageCode },
  ({ short_description, language_code }, { profile }) => {
    if (short_description.length > 120) throw badRequest('short description is too long');
    profile.shortDescriptions.set(checkLanguage(language_code), short_description);
    return true;
  },
);

export const getMyShortDescription = method(
  'getMyShortDescription',
  { language_code: languageCode },
  ({ language_code }, { profile }) => ({
    short_description: profile.shortDescriptions.get(checkLanguage(language_code)) ?? '',
  }),
);
