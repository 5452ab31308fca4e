## News of the bot's operator, and how to turn it off
button-announcements-off = 🔕 Turn off news
button-announcements-on = 🔔 Turn on news
announcements-off = 🔕 News is off; notifications about your money stay on.
announcements-on = 🔔 News is on.
