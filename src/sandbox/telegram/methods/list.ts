import { answerCallbackQuery } from './answer-callback-query.ts';
import { deleteMyCommands, getMyCommands, setMyCommands } from './commands.ts';
import { copyMessage } from './copy-message.ts';
import { deleteMessage } from './delete-message.ts';
import { deleteWebhook } from './delete-webhook.ts';
import {
  getMyDescription,
  getMyShortDescription,
  setMyDescription,
  setMyShortDescription,
} from './descriptions.ts';
import { editMessageCaption } from './edit-message-caption.ts';
import { editMessageMedia } from './edit-message-media.ts';
import { editMessageReplyMarkup } from './edit-message-reply-markup.ts';
import { editMessageText } from './edit-message-text.ts';
import { getChat } from './get-chat.ts';
import { getFile } from './get-file.ts';
import { getMe } from './get-me.ts';
import { getUpdates } from './get-updates.ts';
import { getWebhookInfo } from './get-webhook-info.ts';
import { getChatMenuButton, setChatMenuButton } from './menu-button.ts';
import type { Method } from './method.ts';
import { sendChatAction } from './send-chat-action.ts';
import { sendDocument } from './send-document.ts';
import { sendMessage } from './send-message.ts';
import { sendPhoto } from './send-photo.ts';
import { sendVideo } from './send-video.ts';
import { setWebhook } from './set-webhook.ts';

/** Bot API methods that the sandbox supports. */
export const METHODS: readonly Method[] = [
  getMe,
  getUpdates,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
  sendMessage,
  sendPhoto,
  sendDocument,
  sendVideo,
  copyMessage,
  editMessageText,
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  deleteMessage,
  answerCallbackQuery,
  sendChatAction,
  getChat,
  getFile,
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
  setMyDescription,
  getMyDescription,
  setMyShortDescription,
  getMyShortDescription,
  setChatMenuButton,
  getChatMenuButton,
];
