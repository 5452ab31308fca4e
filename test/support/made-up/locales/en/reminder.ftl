command-reminder = Remind me in an hour
reminder-question = What should I remind you of?
reminder-problem = Write one line of up to 50 characters.
reminder-stored = I'll remind you in an hour: { $text }
reminder-due = ⏰ { $text }
reminder-privacy = Reminders, until they are sent.
reminder-help-question = When does a reminder come?
reminder-help-answer = An hour after you set it.
