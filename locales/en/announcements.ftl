## What the bot's operator writes to everybody, and the way to opt out
button-announcements-off = 🔕 No more news like this
button-announcements-on = 🔔 Send me the news again
announcements-off = 🔕 I send you no more news of the bot's operator. What happens to your money is told all the same. The Settings turn the news on again too.
announcements-on = 🔔 You get the news of the bot's operator again.
