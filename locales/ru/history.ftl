command-history = Ваши покупки
button-history = 🧾 История
history-title = <b>История</b>
history-open = Нажмите номер, чтобы открыть квитанцию.
history-empty = Пока пусто. Ваши покупки хранятся здесь 90 дней.
history-all = Все
button-older = Раньше ›
button-newest = « Последние
