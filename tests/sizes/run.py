#!/usr/bin/env python3
"""Runs confab on models of true sizes: files with the widths, heads, experts and vocabularies of published models, but
only a layer or two of random weights (make_model.py).

  run.py PROGRAM [--few] [--device cpu|vulkan|both] [--isa NAME,...] [NAME-PART ...]

On the processor each model is planned (`fit`), asked, asked again with a longer question (which must be resumed), asked
with a JSON schema, asked four times in a batch, and measured (`bench`); with each further instruction set it is asked
once. On Vulkan, a software renderer will do, it is asked and must give the processor's text, or confab must say in one
line why the device cannot run it. A crash, a signal, a time-out, a message about logits, or more memory than planned
(by 3 %) is a failure. Less is none: the plan counts every expert, and rows of the vocabulary anywhere. Prints a table in
Markdown; the exit status is 0 if all is well. --few: the eight models of continuous integration. Needs numpy, and 3 GB of disk
space and memory for the largest.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = '{"type":"object","properties":{"a":{"type":"integer"},"b":{"enum":["x","y"]}},"required":["a","b"],"additionalProperties":false}'
QUESTION = 'Hello there'
CONTEXT = 2048
# Fills most of the context, so that what the plan counts is touched: three tokens a word, of which one stands anywhere in
# the vocabulary.
LONG = '\n'.join(''.join(random.Random(i).choices('etaoinshrdlcumwfgypbvkjxqz', k=4)) for i in range(580))
# Each published size with a number format; between them all architectures and formats.
MODELS = '''
llama-3.1-8b q8_0 | llama-3.2-1b iq4_xs | mixtral-8x7b iq2_xxs | mistral-small-3-24b bf16 | falcon3-7b f16
ministral-3-3b q4_k_m | ministral-3-8b q8_0 | devstral-small-2-24b q6_k | qwen2.5-0.5b q4_0 | qwen2.5-32b iq4_xs
qwen1.5-moe-a2.7b iq2_xxs | qwen2-57b-a14b q4_k_m | qwen3-0.6b f16 | qwen3-4b q4_k_m | qwen3-14b q8_0 | qwen3-32b q6_k
qwen3-30b-a3b q4_k_m | qwen3-235b-a22b iq2_xxs | qwen3-next-80b-a3b iq2_xxs | qwen3.5-4b bf16 | qwen3.5-27b q6_k
qwen3.5-35b-a3b q4_k_m | gemma-2-2b q8_0 | gemma-2-27b q6_k | gemma-3-1b q4_0 | gemma-3-4b iq4_xs | gemma-3-27b iq2_xxs
gemma-4-e2b bf16 | gemma-4-e4b q6_k | gemma-4-26b-a4b q4_k_m | gemma-4-31b q8_0 | gpt-oss-20b mxfp4 | gpt-oss-120b mxfp4
deepseek-v2-lite iq4_xs | glm-4.7-flash q6_k | glm-4-9b q6_k | glm-4-32b q4_k_m | glm-4.5-air iq4_xs | granite-3.3-8b q6_k
granite-4.0-micro q4_0 | granite-3.1-3b-a800m iq4_xs | granite-3.1-1b-a400m iq2_xxs | phi-3.5-mini bf16 | phi-4 q6_k
phi-4-mini q4_k_m | olmo-2-7b q8_0 | olmo-3-32b q6_k | command-r-35b q4_0 | command-r7b iq4_xs | starcoder2-3b bf16
starcoder2-15b q6_k | smollm3-3b q4_k_m'''
# A dense one, mixtures with many and few experts, windows, latent attention, a recurrent one, a tied output.
FEW = {'llama-3.2-1b', 'qwen3-30b-a3b', 'gemma-3-1b', 'gpt-oss-20b', 'deepseek-v2-lite', 'qwen3.5-4b', 'granite-3.1-3b-a800m', 'phi-4-mini'}
FEW_ON_VULKAN = {'qwen3-30b-a3b', 'llama-3.2-1b'}
MOST_OFF = 0.03
CUT = 6  # exit status of an answer that -n has cut
SECONDS = {'fit': 20, 'bench': 180, 'vulkan': 600}  # 120 for the rest


class Ran:
    def __init__(self, rc, out, err, seconds, rss):
        self.rc, self.out, self.err, self.seconds, self.rss = rc, out, err, seconds, rss

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            return {}


class Sizes:
    def __init__(self, program, folder):
        self.program, self.folder = os.path.abspath(program), folder
        self.faults = []

    def run(self, what, words, stdin='', env=None, limit=120):
        """One run of the program in a home of its own; every fault is noted under `what`."""
        home = os.path.join(self.folder, 'home')
        own = {k: v for k, v in os.environ.items() if not k.startswith(('CONFAB', 'XDG_'))}
        own |= dict(HOME=home, XDG_CACHE_HOME=home + '/cache', XDG_DATA_HOME=home + '/data', XDG_CONFIG_HOME=home + '/config', **(env or {}))
        begin = time.time()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen([self.program, *words], stdin=subprocess.PIPE, stdout=out, stderr=err, env=own, cwd=self.folder)
            try:
                child.stdin.write(stdin.encode())
                child.stdin.close()
            except BrokenPipeError:
                pass
            status = usage = None
            while status is None and time.time() - begin < limit:
                pid, code, usage = os.wait4(child.pid, os.WNOHANG)
                if pid:
                    status = os.waitstatus_to_exitcode(code)
                else:
                    time.sleep(0.01)
            if status is None:
                child.kill()
                child.wait()
                self.faults.append(f'{what}: not done within {limit} s')
                status, usage = -9, None
            else:
                child.returncode = status
            out.seek(0)
            err.seek(0)
            ran = Ran(status, out.read().decode('utf-8', 'replace'), err.read().decode('utf-8', 'replace'), time.time() - begin,
                      usage.ru_maxrss / 1024 if usage else 0)
        if status < 0 and not self.faults[-1:] == [f'{what}: not done within {limit} s']:
            self.faults.append(f'{what}: ended by signal {-status}')
        if 'finite' in ran.err:
            self.faults.append(f'{what}: {ran.err.strip()[:160]}')
        return ran

    def ask(self, what, model, question, *more, n=4, **how):
        ran = self.run(what, ['-m', model, '-p', question, '-n', str(n), '--temp', '0', '--json', *more], **how)
        if ran.rc not in (0, CUT) and ran.rc > 0:
            self.faults.append(f'{what}: status {ran.rc}: {ran.err.strip()[:200]}')
        return ran

    def on_processor(self, model, isas):
        cells = {}
        fit = self.run('fit', ['fit', model, '--json', '--device', 'cpu', '-c', str(CONTEXT)], limit=SECONDS['fit'])
        if fit.rc not in (0, 4):
            self.faults.append(f'fit: status {fit.rc}: {fit.err.strip()[:200]}')
        cpu = ('--device', 'cpu', '-c', str(CONTEXT))
        first = self.ask('question', model, QUESTION, *cpu, '--incognito')
        self.text = first.json().get('answer')
        whole = self.ask('long question', model, LONG, *cpu)
        again = self.ask('resume', model, LONG + ' And then?', *cpu)
        cells['cached'] = again.json().get('statistics', {}).get('cached_tokens')
        schema = self.ask('schema', model, QUESTION, *cpu, '--json-schema', SCHEMA, n=40)
        if schema.rc == 0 and not isinstance(schema.json().get('answer'), str):
            self.faults.append('schema: no answer')
        lines = ''.join(json.dumps({'id': i, 'prompt': QUESTION if i == 0 else f'{QUESTION} {i}'}) + '\n' for i in range(4))
        requests, answers = os.path.join(self.folder, 'requests.jsonl'), os.path.join(self.folder, 'answers.jsonl')
        with open(requests, 'w') as f:
            f.write(lines)
        batch = self.run('batch', ['batch', requests, '-m', model, '-n', '4', '--temp', '0', '--parallel', '4', *cpu, '--out', answers])
        with open(answers if os.path.exists(answers) else os.devnull) as f:
            cells['batch'] = len([line for line in f if line.startswith('{')])
        if cells['batch'] != 4:
            self.faults.append(f'batch: {cells["batch"]} of 4 lines, status {batch.rc}: {batch.err.strip()[:200]}')
        bench = self.run('bench', ['bench', '-m', model, '-p', '100', '-n', '4', '-r', '1', '--device', 'cpu'], limit=SECONDS['bench'])
        if bench.rc != 0:
            self.faults.append(f'bench: status {bench.rc}: {bench.err.strip()[:200]}')
        for isa in isas:
            self.ask('question with ' + isa, model, QUESTION, *cpu, '--incognito', env={'CONFAB_ISA': isa}, limit=300)
        cells |= dict(start=first.seconds, rss=max(whole.rss, again.rss), plan=self.planned(fit))
        return cells

    @staticmethod
    def planned(fit):
        plan = fit.json()
        return (plan.get('peak_anonymous_bytes', 0) + plan.get('peak_mapped_bytes', 0)) / 2**20

    def on_vulkan(self, model):
        words = ['-m', model, '-p', QUESTION, '-n', '4', '--temp', '0', '--json', '--device', 'vulkan', '--incognito']
        ran = self.run('Vulkan', words, limit=SECONDS['vulkan'])
        if ran.rc == 1 and '--device cpu' in ran.err:
            return 'refused: ' + re.sub(r'; to run it on the processor.*', '', ran.err.strip().split(': ', 2)[-1])[:80]
        if ran.rc not in (0, CUT):
            if ran.rc > 0:
                self.faults.append(f'Vulkan: status {ran.rc}: {ran.err.strip()[:200]}')
            return 'fails'
        return ('same text' if ran.json().get('answer') == self.text else 'another text') + f', {ran.seconds:.0f} s'


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('program')
    ap.add_argument('names', nargs='*')
    ap.add_argument('--few', action='store_true')
    ap.add_argument('--device', choices=('cpu', 'vulkan', 'both'), default='both')
    ap.add_argument('--isa', default='', help='further instruction sets, such as scalar,avx2')
    a = ap.parse_intermixed_args()
    models = [m.split() for line in MODELS.strip().splitlines() for m in line.split('|')]
    models = [(n, t) for n, t in models if (not a.few or n in FEW) and (not a.names or any(part in n for part in a.names))]
    print('| model | format | start s | plan MiB | peak MiB | off | cached | Vulkan | faults |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |', flush=True)
    n_bad = 0
    for name, fmt in models:
        folder = tempfile.mkdtemp(prefix='confab-sizes-')
        try:
            model = os.path.join(folder, 'model.gguf')
            subprocess.run([sys.executable, os.path.join(HERE, 'make_model.py'), '--shape', name, '--type', fmt, model], check=True, stdout=subprocess.DEVNULL)
            sizes = Sizes(a.program, folder)
            cells = sizes.on_processor(model, [i for i in a.isa.split(',') if i])
            vulkan = ''
            if a.device != 'cpu' and (not a.few or name in FEW_ON_VULKAN):
                vulkan = sizes.on_vulkan(model)
            off = cells['rss'] / cells['plan'] - 1 if cells['plan'] else float('nan')
            if not off <= MOST_OFF:
                sizes.faults.append(f'it takes {off:.1%} more memory than planned')
            n_bad += bool(sizes.faults)
            print(f"| {name} | {fmt} | {cells['start']:.1f} | {cells['plan']:.0f} | {cells['rss']:.0f} | {off:+.1%} | {cells['cached']} | {vulkan} | {'; '.join(sizes.faults)} |", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f'{len(models) - n_bad} passed, {n_bad} failed')
    return 1 if n_bad else 0


if __name__ == '__main__':
    sys.exit(main())
