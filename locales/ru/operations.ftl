## Сводка операций, для администраторов
command-operations = Сводка операций по результатам
button-operations = 📊 Операции
operations-title = <b>📊 Операции</b> · { $day } (UTC)
operations-spans = Сегодня · 7 дней · 30 дней
operations-outcome = { $outcome ->
        [done] ✅ выполнено
        [failed] ❌ списано, не доставлено
        [refused] ❌ отказано, ничего не списано
       *[closed] ☑️ закрыто пользователем, результат неизвестен
    }
operations-none = Пока ничего.
operations-unresolved = ⚠️ Сейчас с неизвестным результатом: <b>{ $count }</b>
