command-reminder = Напомнить через час
reminder-question = О чём напомнить?
reminder-problem = Напишите строку до 50 символов.
reminder-stored = Напомню через час: { $text }
reminder-due = ⏰ { $text }
reminder-privacy = Напоминания, пока они не отправлены.
reminder-help-question = Когда придёт напоминание?
reminder-help-answer = Через час после настройки.
