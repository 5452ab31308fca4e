/** The texts of locales/…/notices.ftl. Made by `npm run texts`. */
export interface NoticesTexts {
  'notice-unclear': string;
  'notice-deposit': string;
  'deposit-noticed': string;
  'deposit-noticed-bare': string;
  'deposit-credited': string;
  'deposit-credited-bare': string;
  'deposit-expired': string;
  'deposit-expired-bare': string;
  'notice-withdrawal': string;
  'notice-withdrawal-pending': string;
  'notice-withdrawal-completed': string;
  'notice-withdrawal-failed': string;
  'notice-smart-mode': string;
  'smart-mode-delivered': string;
  'notice-low-balance': string;
  'low-balance': string;
  'notice-hook': string;
  'hook-elsewhere': string;
  'hook-unreached': string;
  'notice-event': string;
  'event-type': string;
  'event-field': string;
}
