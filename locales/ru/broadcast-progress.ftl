## Как идёт рассылка: в чате каждого администратора
progress-title = <b>📣 Рассылка: { $state ->
        [scheduled] ждёт своего времени
        [gathering] выясняю, кто её получит…
        [sending] идёт
        [paused] приостановлена
        [done] завершена
        [stopped] остановлена
        [cancelled] отменена заранее
       *[missed] не отправлена: опоздала бы больше чем на час
    }</b>
progress-audience = Кому: { $who ->
        [everybody] всем
        [holders] тем, у кого есть аккаунт
        [guests] тем, у кого нет аккаунта
        [merchants] тем, кто продаёт
        [me] её автору, для проверки
        [language] { $language ->
            [ru] говорящим по-русски
           *[en] говорящим по-английски
        }
       *[active] тем, кто был здесь за { $days } { $days ->
            [one] день
            [few] дня
           *[other] дней
        }
    }
progress-at = Когда: { $time }
progress-by = Кто: <code>{ $admin }</code>
progress-paused = { $why ->
        [admin] ⏸ Приостановил <code>{ $by }</code>. Когда она продолжится, никто не получит её дважды.
        [gone] ⚠️ Telegram больше не находит сообщение, которое копируется: предпросмотр удалён? У получивших оно остаётся. Остановите рассылку и сделайте новую.
        [refused] ⚠️ Telegram его не принимает: <code>{ $reason }</code>. Остановите рассылку и сделайте новую или продолжите, если причина устранена.
        [lost] ⚠️ Ответы Telegram теряются один за другим: что с этими людьми, неизвестно, и повторно им не отправляется. Продолжите, когда Telegram снова будет доступен.
        [audience] ⚠️ Кто ещё должен её получить, больше не прочитать. Остановите её.
       *[nobody] ⚠️ Подтвердивший больше не администратор. Кто продолжит, тот дальше за неё и отвечает.
    }
progress-all = <b>{ $done }</b> из <b>{ $total }</b>
progress-count = { $what ->
        [sent] ✅ Отправлено
        [blocked] 🚫 Заблокировали бота
        [deactivated] 👻 Удалили аккаунт
        [unreachable] 🔇 Написать не получается
        [failed] ❌ Не удалось
        [unknown] ❔ Неясно: возможно, получили; повторно не отправляется
       *[skipped] ➖ Пропущены: ушли или отказались
    }: { $count }
progress-speed = ⏱ { $perSecond } в секунду, осталось около { $minutes } мин
progress-took = ⏱ Заняла { $minutes ->
        [1] не больше минуты
       *[other] { $minutes } мин
    }
progress-objections = 🐢 Telegram просил не спешить: { $count } { $count ->
        [one] раз
        [few] раза
       *[other] раз
    }{ $seconds ->
        [0] {""}
       *[other] , тишина ещё { $seconds } с
    }
progress-retaken = 🔁 Продолжена после перезапуска: { $count } { $count ->
        [one] раз
        [few] раза
       *[other] раз
    }
button-broadcast-pause = ⏸ Приостановить
button-broadcast-resume = ▶️ Продолжить
button-broadcast-stop = ⏹ Остановить
button-broadcast-show = 📣 Показать
broadcast-report = { $state ->
        [done] 📣 Рассылка завершена, получателей: { $total }.
        [stopped] 📣 Рассылка остановлена, получателей было бы { $total }.
        [missed] 📣 Рассылка не отправлена: она опоздала бы больше чем на час.
       *[paused] ⚠️ Рассылка приостановлена, получателей: { $total }. { $why ->
            [gone] Её сообщение больше не найти.
            [refused] Telegram его не принимает.
            [lost] Ответы Telegram теряются.
            [audience] Кто ещё должен её получить, больше не прочитать.
           *[other] Подтвердивший больше не администратор.
        }
    }
