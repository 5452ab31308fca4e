## Сводка операций, для администраторов
command-operations = Сводка операций по исходам
button-operations = 📊 Операции
operations-title = <b>📊 Операции</b> · { $day } (UTC)
operations-spans = Сегодня · 7 дней · 30 дней
operations-outcome = { $outcome ->
        [done] ✅ выполнено
        [failed] 🚫 списано, не доставлено
        [refused] ❌ отказано, ничего не списано
       *[closed] ☑️ закрыто пользователем, не подтверждено
    }
operations-none = Пока ничего.
operations-unresolved = ⚠️ Не подтверждено сейчас: <b>{ $count }</b>
