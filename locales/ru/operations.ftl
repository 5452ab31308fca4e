## Что видят администраторы об операциях с деньгами
command-operations = Сколько операций чем закончилось
button-operations = 📊 Операции
operations-title = <b>📊 Операции</b> · { $day } (UTC)
operations-spans = Сколько и чем кончилось: сегодня · за 7 дней · за 30 дней
operations-outcome = { $outcome ->
        [done] ✅ выполнено
        [failed] 🚫 списано, но не доставлено
        [refused] ❌ отказано, ничего не списано
       *[closed] ☑️ закрыто пользователем, исход неизвестен
    }
operations-none = Пока ничего.
operations-unresolved = ⚠️ Исход неизвестен сейчас: { $count ->
        [0] нет таких
       *[other] <b>{ $more ->
            [yes] больше { $count }
           *[no] { $count }
        }</b>
    }
