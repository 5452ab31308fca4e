command-webhook-log = Какие отчёты присылал сервис
button-webhook-log = 📨 Журнал вебхука
webhook-log-title = <b>Журнал вебхука</b>
webhook-log-about = Что сервис сообщал об аккаунте { $account } и дошло ли это.
webhook-log-order = заказ { $number }
webhook-log-invoice = счёт { $number }
webhook-log-energy = { $amount } энергии
webhook-log-bandwidth = { $amount } пропускной способности
webhook-log-received = принято, HTTP { $status }
webhook-log-not-received = не принято, { $status ->
        [none] нет ответа
       *[other] HTTP { $status }
    }
webhook-log-attempts = { $attempts ->
        [0] ещё не отправлено
        [one] { $attempts } попытка
        [few] { $attempts } попытки
       *[other] { $many ->
            [yes] больше { $attempts } попыток
           *[no] { $attempts } попыток
        }
    }
webhook-log-none = Пока ничего не отправлено. Записи появятся, когда отчёты сервиса включены и с аккаунтом что-то происходит.
webhook-log-latest = <i>Последние { $most }.</i>
webhook-log-pick = Нажмите на номер, чтобы увидеть, что было отправлено.
webhook-log-goes = { $goes ->
        [here] Отчёты сервиса сейчас приходят этому боту.
        [elsewhere] Здесь отчёты сервиса об этом аккаунте не включены. То, что в списке, ушло туда, куда их отправляет аккаунт.
       *[nowhere] У этого бота нет публичного адреса, принимать отчёты сервиса он не может.
    }
webhook-log-payload = <code>{ $payload }</code>{ $more ->
        [0] {""}
        [one] 
            … и ещё { $more } строка
        [few] 
            … и ещё { $more } строки
       *[other] 
            … и ещё { $more } строк
    }
webhook-log-gone = Этого отчёта в списке сервиса больше нет.
