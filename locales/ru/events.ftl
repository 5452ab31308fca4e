## Что видят администраторы о событиях сервиса
command-events = Какие события сервиса пришли
button-events = 📡 События
events-title = <b>📡 События</b> · { $day }, { $which ->
        [today] сегодня
       *[yesterday] вчера
    } (UTC)
events-taken = ✅ Новые события, присланные сервисом: <b>{ $count }</b>
events-missed = 🔎 События, которые не пришли, но были в его журнале: <b>{ $count }</b>
events-copies = 🔁 События, присланные ещё раз (ничего не сделано): <b>{ $count }</b>
events-refused = ⚠️ Отклонённые запросы, от кого угодно: <b>{ $count }</b>

## Почему
events-refused-hook = на адрес, которого нет ни у одного аккаунта
events-refused-rate = слишком много за одну секунду
events-refused-size = слишком длинные для события
events-refused-signature = без подписи сервиса
events-refused-body = подписаны, но это не события
events-refused-old = старше 30 дней
events-refused-storage = пока хранилище было недоступно

## Сколько это заняло
events-handled = ⏱ События обработаны после прихода: { $says ->
        [both] половина { $half }, почти все { $most }
        [most] почти все { $most }
       *[nothing] пока ничего
    }
events-told = ⏱ Сообщения людям отправлены после этого: { $says ->
        [both] половина { $half }, почти все { $most }
        [most] почти все { $most }
       *[nothing] пока ничего
    }
events-within = { $ms ->
        [100] за 0,1 с
        [500] за 0,5 с
        [1000] за 1 с
        [5000] за 5 с
        [30000] за 30 с
        [300000] за 5 мин
       *[other] дольше 5 мин
    }
events-waiting = 📤 Чаты, куда ещё не всё отправлено: { $chats ->
        [0] нет
       *[other] <b>{ $more ->
            [yes] больше { $chats }
           *[no] { $chats }
        }</b>, дольше всего ждёт: { $minutes ->
            [0] меньше минуты
           *[other] { $minutes } мин
        }
    }

## По одному
events-latest = <b>Последние события</b>
events-event = { $time } { $how ->
        [logged] 🔎
       *[sent] ✅
    }
events-account = аккаунт { $account }
events-latest-refusals = <b>Последние отклонённые запросы</b>
events-as-of = <i>По состоянию на { $time }.</i>
button-refresh = ↻ Обновить
button-events-today = Сегодня
button-events-yesterday = Вчера

## Аккаунт оператора
events-operator = { $reports ->
        [on] 📥 Отчёты сервиса об аккаунте оператора { $account }: <b>включены</b>
        [off] 📥 Отчёты сервиса об аккаунте оператора { $account }: <b>выключены</b>
       *[unknown] 📥 Сервис аренды сейчас не говорит, какой аккаунт принадлежит оператору.
    }
button-events-operator = { $reports ->
        [on] Выключить отчёты об аккаунте оператора
       *[off] Включить отчёты об аккаунте оператора
    }
