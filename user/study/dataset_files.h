/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of data sets. Root opens them before it becomes another user: what only root can read
 * is then read by a process that can no longer do anything else as root.
 */
#ifndef STUDY_DATASET_FILES_H
#define STUDY_DATASET_FILES_H

/*
 * Opens the file, or the files in the directory and its cells/, for dataset__load(). Data of
 * root on a path controlled by root is opened as root, all else with the rights of the user who
 * controls it. Does nothing unless root called without sudo. Unreadable files are refused later.
 * Call before step_down().
 */
void dataset_files__hold(const char *path);

/*
 * The same under sudo, for a command that stays root: from then on dataset__load() opens only
 * held files. Data of the invoking user is opened as root.
 */
void dataset_files__hold_only(const char *path);
void dataset_files__release(void);

#endif
