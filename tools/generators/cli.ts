import { type Generator, table } from './generator.ts';

/** Every command of `melm` with its arguments and flags. */
export const cliPage: Generator = {
  path: 'docs/reference/cli.md',
  title: 'The melm command',
  source: '`apps/cli/program.ts`',
  async make() {
    const { program } = await import('@melmastoon/cli/program');
    const melm = program();
    const sections = melm.commands.map(command => {
      const named = command.registeredArguments.map(argument => [usageOf(argument), argument.description]);
      const flags = command.options.map(({ flags, description }) => [`\`${flags}\``, description]);
      const usage = [`melm ${command.name()}`, ...named.map(([name = '']) => name.replaceAll('`', ''))].join(
        ' ',
      );
      const inputs = [...named, ...flags];
      const body = inputs.length === 0 ? '' : `\n\n${table(['Input', 'Meaning'], inputs)}`;
      return `## ${usage}\n\n${sentence(command.description())}${body}`;
    });
    return `${introduction}\n\n${sections.join('\n\n')}`;
  },
};

const introduction = [
  'In a clone run it as `npx melm <command>`; `npm start` is `melm start`. Variables are on the page of the',
  '[environment](environment.md). Exit codes: 0 done, 1 a finding or a failure, 2 called or configured wrongly.',
].join('\n');

function usageOf(argument: { name(): string; required: boolean }): string {
  return argument.required ? `\`<${argument.name()}>\`` : `\`[${argument.name()}]\``;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
