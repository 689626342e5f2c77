/* SPDX-License-Identifier: GPL-2.0-only */
/* Preemption models by name; see preemption.h. Pure. */
#include <stddef.h>
#include <string.h>

#include "preemption.h"

/* In the kernel's words (debugfs, preempt=) and in its configuration's. */
static const struct {
	const char *model;
	const char *option;
} models[] = {
	{"none", "CONFIG_PREEMPT_NONE"},
	{"voluntary", "CONFIG_PREEMPT_VOLUNTARY"},
	{"full", "CONFIG_PREEMPT"},
	{"lazy", "CONFIG_PREEMPT_LAZY"},
};
#define MODELS (sizeof(models) / sizeof(models[0]))

/* The model whose name is at the beginning of text, followed by one of these characters. */
static const char *named(const char *text, const char *ends)
{
	for (size_t i = 0; i < MODELS; i++) {
		size_t len = strlen(models[i].model);

		if (!strncmp(text, models[i].model, len) && (!text[len] || strchr(ends, text[len])))
			return models[i].model;
	}
	return NULL;
}

static const char *by_option(const char *option)
{
	for (size_t i = 0; option && i < MODELS; i++)
		if (!strcmp(option, models[i].option))
			return models[i].model;
	return NULL;
}

/* "preempt=" as a whole word: the last one counts. */
static const char *by_cmdline(const char *cmdline)
{
	static const char key[] = "preempt=";
	const char *model = NULL;

	for (const char *p = cmdline; p && (p = strstr(p, key)); p += strlen(key))
		if (p == cmdline || p[-1] == ' ')
			model = named(p + strlen(key), " \n");
	return model;
}

const char *preemption__model(const struct preemption_signs *signs)
{
	const char *chosen = signs->debugfs ? strchr(signs->debugfs, '(') : NULL;
	const char *model = chosen ? named(chosen + 1, ")") : NULL;

	if (signs->version && strstr(signs->version, "PREEMPT_RT"))
		return "rt";
	if (model)
		return model;
	if (!signs->version)
		return NULL;
	if (strstr(signs->version, "PREEMPT_DYNAMIC")) {
		model = by_cmdline(signs->cmdline);
		return model ? model : by_option(signs->config);
	}
	model = by_option(signs->config);
	if (model)
		return model;
	return strstr(signs->version, "PREEMPT") ? "full" : "none or voluntary";
}

bool preemption__anywhere(const char *model)
{
	return !strcmp(model, "full") || !strcmp(model, "lazy") || !strcmp(model, "rt");
}
