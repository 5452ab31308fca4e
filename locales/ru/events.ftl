## События сервиса, для администраторов
command-events = События от сервиса
button-events = 📡 События
events-title = <b>📡 События</b> · { $day }, { $which ->
        [today] сегодня
       *[yesterday] вчера
    } (UTC)
events-received = ✅ Получено: <b>{ $count }</b>
events-recovered = 🔎 Не дошли, найдены в журнале сервиса: <b>{ $count }</b>
events-duplicates = ♻️ Повторы, пропущены: <b>{ $count }</b>
events-rejected = ⚠️ Отклонённые запросы: <b>{ $count }</b>

## Причины
events-rejected-hook = неизвестный адрес
events-rejected-rate = слишком много за секунду
events-rejected-size = слишком большой
events-rejected-signature = неверная подпись
events-rejected-body = не событие
events-rejected-old = старше 30 дней
events-rejected-storage = хранилище недоступно

## Задержки
events-delay = ⏱ { $what ->
        [handled] Обработка
       *[sent] Затем отправка уведомлений
    }: { $half ->
        [none] нет данных{ $what ->
            [handled] {""}
           *[sent] {" "}(чеки и сообщения о счетах не считаются)
        }
       *[other] половина { $half }, почти все { $most }
    }
events-within = { $seconds ->
        [0] дольше 300 с
       *[other] за { $seconds } с
    }
events-waiting = ✉️ Чаты с неотправленными уведомлениями: { $chats ->
        [0] нет
       *[other] <b>{ $chats }</b>, дольше всего ждёт: { $minutes } мин
    }

## По одному
events-latest = <b>Последние события</b>
events-event = { $time } { $how ->
        [logged] 🔎
       *[sent] ✅
    }
events-latest-rejections = <b>Последние отклонённые запросы</b>
events-as-of = <i>По состоянию на { $time }.</i>
button-refresh = ↻ Обновить
button-events-today = Сегодня
button-events-yesterday = Вчера

## Аккаунт оператора
events-operator = 🔔 Аккаунт оператора: { $reports ->
        [on] мгновенные уведомления <b>включены</b>
        [off] мгновенные уведомления <b>выключены</b>
       *[unknown] сервис не отвечает
    }
button-events-operator = { $reports ->
        [on] Выключить мгновенные уведомления
       *[off] Включить мгновенные уведомления
    }
