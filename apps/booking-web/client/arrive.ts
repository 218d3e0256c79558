// The guest has pressed a button on the other site already: this one is pressed for him.
const form = document.querySelector<HTMLFormElement>('form[data-arrive]');
form?.requestSubmit();

/** Marks this file as a module. */
export const arriving = form !== null;
