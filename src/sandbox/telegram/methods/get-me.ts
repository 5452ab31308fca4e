import { BOT_USER } from '../bot-objects.ts';
import { method } from './method.ts';

export const getMe = method('getMe', {}, () => ({
  ...BOT_USER,
  can_join_groups: true,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
}));
