command-history = Ваши покупки
button-history = 🕘 История
history-title = <b>История</b>
history-open = Нажмите номер, чтобы открыть квитанцию.
history-empty = Пока пусто. Ваши покупки хранятся здесь 90 дней.
history-unreadable = ⚠️ { $count ->
        [one] { $count } операцию не удаётся прочитать. Проверьте её в сервисе.
        [few] { $count } операции не удаётся прочитать. Проверьте их в сервисе.
       *[many] { $count } операций не удаётся прочитать. Проверьте их в сервисе.
    }
history-none-of-kind = Таких пока нет.
history-all = Все
button-older = Раньше ›
button-newest = « Последние
history-further = Среди последних таких нет. Посмотрите раньше.
