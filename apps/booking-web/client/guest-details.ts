// Keeps what the guest types in this tab only (never in a cookie), and sends the form once.
const form = document.querySelector<HTMLFormElement>('form[data-guest-details]');
if (form !== null) keep(form);

function keep(form: HTMLFormElement): void {
  const key = `guest:${form.dataset.guestDetails}`;
  const names = ['name', 'phone', 'email', 'requests', 'rail'];
  const fresh = document.getElementById('troubles') === null;
  if (fresh) restore(form, names, read(key));
  for (const note of form.querySelectorAll<HTMLElement>('[data-with-script]')) note.hidden = false;
  document.getElementById('troubles')?.focus();

  form.addEventListener('input', () => {
    const values = new FormData(form);
    const typed = Object.fromEntries(names.map(name => [name, String(values.get(name) ?? '')]));
    try {
      sessionStorage.setItem(key, JSON.stringify(typed));
    } catch {
      // Private mode without storage: the form works, it only forgets.
    }
  });

  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  const label = button?.textContent ?? '';
  form.addEventListener('submit', event => {
    if (form.dataset.sent === '1') event.preventDefault();
    form.dataset.sent = '1';
    if (button !== null) button.textContent = form.dataset.busy ?? label;
  });
  // Back from the next page, or from a page that never came: the button works again.
  addEventListener('pageshow', () => {
    form.dataset.sent = '';
    if (button !== null) button.textContent = label;
  });
}

function read(key: string): Record<string, string> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

function restore(form: HTMLFormElement, names: readonly string[], typed: Record<string, string>): void {
  for (const name of names) {
    const field = form.elements.namedItem(name);
    const value = typed[name];
    if (value === undefined || value === '' || field === null) continue;
    if (field instanceof RadioNodeList || field instanceof HTMLTextAreaElement) field.value = value;
    else if (field instanceof HTMLInputElement && field.type === 'radio')
      field.checked = field.value === value;
    else if (field instanceof HTMLInputElement) field.value = value;
  }
}

/** Marks this file as a module. */
export const keeping = form !== null;
