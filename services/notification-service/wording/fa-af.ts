import type { Language } from './language.ts';

/** Dari as it is written in Afghanistan. */
export const dari: Language = {
  templates: {
    booking_confirmed: {
      subject: 'ریزرف {code} در {hotel} تأیید شد',
      body: `{guest} گرامی،

ریزرف شما در {hotel} تأیید شد. کود ریزرف شما {code} است.

رسیدن: {arrival}
رفتن: {departure}
تعداد شب‌ها: {nights}

تحویل گرفتن اتاق: از {checkIn}
ترک اتاق: تا {checkOut}

مبلغ مجموعی: {total}. {payment}

لطفاً این پیام را نگه دارید. چشم‌به‌راه شما هستیم.`,
      short:
        '{hotel}: ریزرف {code} تأیید شد. تحویل اتاق از {checkIn}، شب‌ها: {nights}، مجموع {total}. {payment}',
    },
    hold_expired: {
      subject: 'اتاق شما در {hotel} دیگر نگه داشته نمی‌شود',
      body: `{guest} گرامی،

اتاقی که در {hotel} از {arrival} تا {departure} برای شما نگه داشته بودیم، دوباره آزاد شد: {why}

چیزی ریزرف نشده و پرداختی لازم نیست. اگر پولی گرفته شده باشد، به شما برمی‌گردد.

می‌توانید دوباره ریزرف کنید.`,
      short: '{hotel}: اتاق شما از {arrival} تا {departure} دیگر نگه داشته نمی‌شود: {why} پرداختی لازم نیست.',
    },
    payment_failed: {
      subject: 'پرداخت برای اقامت شما در {hotel} انجام نشد',
      body: `{guest} گرامی،

پرداخت برای اقامت شما در {hotel} از {arrival} تا {departure} انجام نشد؛ از این رو اتاق ریزرف نشده است.

اگر پولی از حساب شما کم شده باشد، به شما برمی‌گردد.

می‌توانید دوباره کوشش کنید یا به روش دیگری بپردازید.`,
      short:
        '{hotel}: پرداخت برای {arrival} تا {departure} انجام نشد و اتاق ریزرف نشده است. می‌توانید دوباره کوشش کنید.',
    },
    booking_cancelled: {
      subject: 'ریزرف {code} در {hotel} لغو شد',
      body: `{guest} گرامی،

ریزرف {code} شما در {hotel} از {arrival} تا {departure} لغو شد.

{refund}

امیدواریم بار دیگر میزبان شما باشیم.`,
      short: '{hotel}: ریزرف {code} از {arrival} تا {departure} لغو شد. {refund}',
    },
    booking_modified: {
      subject: 'ریزرف {code} در {hotel} تغییر کرد',
      body: `{guest} گرامی،

در ریزرف {code} شما در {hotel} تغییر آمد: {changes}.

رسیدن: {arrival}
رفتن: {departure}

اگر شما این را نخواسته‌اید، لطفاً ما را آگاه سازید.`,
      short:
        '{hotel}: در ریزرف {code} ({arrival} تا {departure}) تغییر آمد: {changes}. اگر نخواسته‌اید، ما را آگاه سازید.',
    },
    dates_changed: {
      subject: 'تاریخ‌های اقامت شما در {hotel} تغییر کرد',
      body: `{guest} گرامی،

اقامت شما در {hotel} (ریزرف {code}) اکنون از {arrival} تا {departure} است. پیش از این از {previousArrival} تا {previousDeparture} بود.

تعداد شب‌ها: {nights}

تحویل گرفتن اتاق: از {checkIn}
ترک اتاق: تا {checkOut}`,
      short:
        '{hotel}: ریزرف {code} اکنون از {arrival} تا {departure} است، شب‌ها: {nights} (پیش از این {previousArrival} تا {previousDeparture}). تحویل اتاق از {checkIn}، ترک اتاق تا {checkOut}.',
    },
    dates_unavailable: {
      subject: 'در تاریخ‌های تازه در {hotel} جای خالی نیست',
      body: `{guest} گرامی،

در تاریخ‌هایی که خواسته بودید، از {wantedArrival} تا {wantedDeparture}، در {hotel} جای خالی نیست.

ریزرف {code} شما همان‌گونه که بود می‌ماند: از {arrival} تا {departure}.`,
      short:
        '{hotel}: از {wantedArrival} تا {wantedDeparture} جای خالی نیست. ریزرف {code} همان‌گونه می‌ماند: {arrival} تا {departure}.',
    },
    key_ready: {
      subject: 'کلید اتاق شما در {hotel} آماده است',
      body: `{guest} گرامی،

{medium}

کلید از {keyFrom} تا {keyUntil} کار می‌کند.

برای امنیت شما، کود دروازه هرگز در پیام فرستاده نمی‌شود.`,
      short: '{hotel}: {medium} کلید از {keyFrom} تا {keyUntil} کار می‌کند.',
    },
    welcome: {
      subject: 'به {hotel} خوش آمدید',
      body: `{guest} گرامی،

به {hotel} خوش آمدید. از آمدن شما خرسندیم.

ترک اتاق تا {checkOut} است.

هر کاری داشتید، پذیرش در خدمت شماست.`,
      short: 'به {hotel} خوش آمدید! ترک اتاق تا {checkOut} است. پذیرش در خدمت شماست.',
    },
    receipt: {
      subject: 'رسید اقامت شما در {hotel}، ریزرف {code}',
      body: `{guest} گرامی،

سپاس از این که از {arrival} تا {departure} مهمان {hotel} بودید.

ریزرف: {code}
تعداد شب‌ها: {nights}
قیمت اقامت: {total}

{balance}

بل شما نزد پذیرش است.`,
      short:
        '{hotel}: سپاس از اقامت شما از {arrival} تا {departure} (ریزرف {code}، شب‌ها: {nights}، قیمت {total}). {balance}',
    },
    stay_survey: {
      subject: 'اقامت شما در {hotel} چگونه بود؟',
      body: `{guest} گرامی،

می‌خواهیم بدانیم اقامت شما در {hotel} چگونه بود. لطفاً با یک عدد از ۱ (بد) تا ۵ (بسیار خوب) به این پیام پاسخ دهید و بنویسید چه چیز را بهتر کنیم.

اگر چنین پیام‌هایی نمی‌خواهید، به ما بگویید تا دیگر نفرستیم.`,
      short:
        '{hotel}: اقامت شما چگونه بود؟ لطفاً با یک عدد از ۱ (بد) تا ۵ (بسیار خوب) پاسخ دهید. اگر چنین پیام‌هایی نمی‌خواهید، به ما بگویید.',
    },
    staff_alert: {
      subject: '{hotel}: لطفاً ریزرف {code} را ببینید',
      body: `{alert}

ریزرف: {code}`,
      short: '{hotel}، ریزرف {code}: {alert}',
    },
  },
  phrases: {
    guest: 'مهمان',
    comma: '، ',
    paid: 'تمام مبلغ پرداخت شده است.',
    partlyPaid: '{paid} پرداخت شده و {outstanding} در هوتل قابل پرداخت است.',
    onArrival: 'لطفاً {outstanding} را هنگام رسیدن بپردازید.',
    keptUntil: 'اتاق شما تا {until} نگه داشته می‌شود.',
    refund: '{refund} به شما برمی‌گردد.',
    fee: 'هزینهٔ لغو {fee} است.',
    nothingDue: 'پرداختی لازم نیست.',
    settled: 'تمام مبلغ پرداخت شده است.',
    stillOpen: '{balance} هنوز پرداخت نشده است.',
    noPayment: 'پرداخت به‌موقع نرسید.',
    noRoom: 'هوتل نتوانست آن را برای شما نگه دارد.',
    passcode: 'کود دروازه را از پذیرش می‌گیرید.',
    card: 'کارت کلید را از پذیرش می‌گیرید.',
    mobile_key: 'کلید موبایل شما آماده است؛ پذیرش در فعال ساختن آن کمک می‌کند.',
    metal_key: 'کلید را از پذیرش می‌گیرید.',
    changes: {
      guest: 'مهمان',
      occupancy: 'تعداد مهمانان',
      room_assignment: 'اتاق',
      special_requests: 'خواهش‌های شما',
      locale: 'زبان',
      rail: 'روش پرداخت',
    },
  },
};
