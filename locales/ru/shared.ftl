## Что бот говорит о себе
bot-description =
    Аренда энергии и bandwidth в сети TRON: отправка USDT не сожжёт ваши TRX.

    Оплата с аккаунта в сервисе аренды или по счёту, если он предложен.
bot-short-description = Энергия и bandwidth для переводов в TRON.
command-cancel = Отменить начатое

## Кнопки, которые есть у многих сообщений
button-menu = ☰ Меню
button-back = ‹ Назад
button-cancel = ✕ Отмена
button-continue = ▶️ Продолжить: { $what }
button-try-again = ↻ Попробовать ещё раз
button-copy-address = ⧉ Копировать адрес
button-open-bot = Открыть бота
button-open-account = ↗ Создать аккаунт
button-support = 💬 Поддержка
button-skip = Пропустить

## Строки, которые есть у многих списков
account-number = Аккаунт { $account }
list-time = <tg-time unix="{ $unix }" format="Dt">{ $at }</tg-time>
list-empty = Пока ничего.
list-latest = <i>Последние { $most }.</i>
list-as-of = <i>По состоянию на <tg-time unix="{ $unix }" format="t">{ $at }</tg-time>.</i>
list-more = … и ещё { $count }

## Выход из начатого
cancelled = ✖️ <b>Отменено.</b> Ничего не списано.
cancelled-nothing = Отменять нечего. Вот меню:
flow-left = <i>Незаконченный вопрос закрыт. Ничего не списано.</i>
card-left = <i>Незаконченная карточка закрыта. Ничего не списано.</i>
edit-unread = Я не читаю исправления. Пришлите новое сообщение.
group-only = Я работаю только в личном чате.
group-secret = 🔒 { $what ->
        [key] API-ключ в группе? <b>Сейчас же замените его в сервисе.</b>
       *[code] Код 2FA в группе? Дождитесь следующего.
    }{ $deleted ->
        [yes] {" "}Сообщение удалено.
       *[no] {" "}Удалить не могу: <b>удалите сами</b>.
    }
busy-flood = Слишком быстро. Попробуйте ещё раз через несколько секунд.

## Неподходящие ответы
problem-address-empty = Пришлите адрес текстом: 34 символа, первый — T.
problem-address-case = Регистр в адресе важен: скопируйте заново.
problem-address-unknown = «{ $said }» — не адрес и не сохранённое имя.
problem-said-left = Не понимаю «{ $left }». Чтобы продолжить без этого, ответьте ещё раз.
problem-address-prefix = Не вижу адреса TRON: 34 символа, первый — T.
problem-address-length = Символов в адресе: { $length }, а нужно 34. Скопируйте заново.
problem-address-alphabet = Недопустимый символ (например, 0, O, I или l). Скопируйте заново.
problem-address-checksum = В адресе опечатка. Скопируйте заново.
problem-address-gap = Адрес разбит на части. Скопируйте его заново целиком.
problem-address-shortened = Это сокращённый адрес. Скопируйте его целиком: 34 символа.
problem-address-other-chain =
    Это { $chain ->
        [bank] номер банковского счёта
        [other] адрес другой сети
       *[named] адрес { $chain }
    }. Энергию арендуют для адресов TRON, они начинаются с T.
problem-address-contract =
    Это контракт{ $name ->
        [none] {""}
       *[named] {" "}{ $name }
    }, а не адрес кошелька. Пришлите адрес кошелька.
address-contract = контракт { $name }
problem-address-several = Здесь несколько адресов. Какой нужен?
problem-address-many = Адресов слишком много. Пришлите один.
problem-address-foreign = Нелатинские буквы: { $letters }. Возможно, это обман: скопируйте адрес из надёжного источника.
foreign-letter = «{ $letter }» на { $place }-м месте
problem-command = Не знаю команду <code>{ $command }</code>. Все команды: /help
problem-choice = Нажмите на одну из кнопок.
problem-count = Пришлите целое число от { $min } до { $max }, например { $example }.
problem-trx = Пришлите сумму в TRX, например 12,5 (до шести знаков после запятой).
problem-too-many = Слишком много попыток. Начните заново из меню.

## Нужен аккаунт, или его нельзя прочитать
account-needed =
    <b>Для этого нужен аккаунт</b>

    Привяжите аккаунт в сервисе аренды или сначала создайте его там.
account-unreachable = Сервис не отвечает. Ничего не списано. Попробуйте ещё раз через минуту.
account-unreadable = Неожиданный ответ сервиса. Ничего не списано.
account-key-refused = { $tail ->
        [operators] Сервис больше не принимает ключ оператора. Укажите другой в <code>RENTAL_API_KEY</code>.
       *[other] Сервис больше не принимает ваш ключ { $tail }. Привяжите аккаунт с новым ключом.
    }
account-other = { $whose ->
        [operators] ⚠️ Ключ оператора теперь открывает в сервисе другой аккаунт. Его данные я не показываю, ничего не списано. Укажите верный ключ в <code>RENTAL_API_KEY</code> и перезапустите бота.
       *[own] ⚠️ Ваш API-ключ теперь открывает в сервисе другой аккаунт. Его данные я не показываю, ничего не списано. Привяжите свой аккаунт заново с новым ключом.
    }
account-limited = Сервис занят. Ничего не списано. Попробуйте ещё раз { $when }.
wait-until = { $unit ->
        [s] через { $count } с
        [min] через { $count } мин
       *[later] позже
    }
account-key-lost = Не могу прочитать ваш ключ. Привяжите аккаунт заново.

## Не хватает средств
funds-short = <b>Не хватает средств</b>
funds-price =
    { $is ->
        [total] Всего с комиссией:
       *[price] Цена: около
    } <b>{ AMOUNT($estimate) } TRX</b>
    Баланс: <b>{ AMOUNT($balance) } TRX</b>
    Не хватает: { $is ->
        [total] {""}
       *[price] около{" "}
    }<b>{ AMOUNT($missing) } TRX</b>
funds-deposit =
    Отправьте сюда TRX или USDT (TRC20{ $rate ->
        [none] {""}
       *[other] , сейчас по { AMOUNT($rate) } TRX
    }) и нажмите «{ button-check-again }»:
    <code>{ $address }</code>
funds-elsewhere = Пополните аккаунт и нажмите «{ button-check-again }».
button-option-priced = { $label } · ≈ { AMOUNT($price) } TRX
button-check-again = ↻ Проверить снова

## Когда что-то ломается
fault-tap = Что-то пошло не так. Ничего не списано. Попробуйте ещё раз через минуту.
fault-message = Что-то пошло не так. Ничего не списано. Попробуйте ещё раз через минуту; если прислали API-ключ, сначала удалите его.
gate-closed = Платежи и вывод приостановлены. Ничего не списано. Попробуйте позже.
fault-unclear = Результат неизвестен. Проверьте карточку через минуту: если кнопки на месте, ничего не списано.
fault-dropped = Что-то пошло не так. Ничего не списано. Начните заново.

## Всплывающие подсказки
toast-funds = { $deposit ->
        [waiting] Пополнение ещё не зачислено. Не хватает
       *[none] Пока не хватает: ещё
    } { AMOUNT($missing) } TRX.
toast-button-expired = Кнопка больше не действует. Откройте меню заново.
toast-question-open = Вопрос ещё открыт: ответьте или отмените его.
toast-over = Эта кнопка устарела.
toast-question-over = Этот вопрос устарел. Ответьте на последний.
question-over = <i>Этот вопрос закрыт.</i>

## Обозреватель блокчейна
explorer-address = <a href="{ $url }">Адрес в обозревателе</a>
explorer-transaction = <a href="{ $url }">Транзакция</a>
problem-address-evm = Это адрес в формате Ethereum. Адрес TRON начинается с T.
problem-address-hex = Это адрес TRON в шестнадцатеричном виде. Пришлите тот, что начинается с T.
