/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroup paths recorded on machines with each runtime, and the names of their groups. */
#include <string.h>

#include "export/group_name.h"
#include "support/test.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

TEST(cgroup_paths_shorten_to_unit_container_or_pod)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{"/", "root"},
		{"/system.slice/nginx.service", "nginx.service"},
		{"/system.slice/system-postgresql.slice/postgresql@15-main.service",
		 "postgresql@15-main.service"},
		{"/system.slice/docker.service/workers", "docker.service"},
		{"/user.slice/user-1000.slice/session-3.scope", "session-3.scope"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.service",
		 "app-x.service"},
		{"/user.slice/user-1000.slice/user@1000.service",
		 "user.slice/user-1000.slice/user@1000.service"},
		{"/init.scope", "init.scope"},
		/* systemd driver */
		{"/system.slice/docker-" ID ".scope", "docker-0123456789ab"},
		{"/system.slice/cri-containerd-" ID ".scope", "cri-containerd-0123456789ab"},
		{"/machine.slice/libpod-" ID ".scope", "libpod-0123456789ab"},
		{"/machine.slice/libpod-" ID ".scope/container", "libpod-0123456789ab"},
		{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
		 "libpod-0123456789ab"},
		/* cgroupfs driver */
		{"/docker/" ID, "docker-0123456789ab"},
		{"/docker/" ID "/nested", "docker-0123456789ab"},
		{"/libpod_parent/libpod-" ID, "libpod-0123456789ab"},
		/* kubelet: systemd and cgroupfs driver */
		{"/kubepods.slice/kubepods-burstable.slice/"
		 "kubepods-burstable-pod0f1e2d3c_1111_2222_3333_444455556666.slice/"
		 "cri-containerd-" ID ".scope",
		 "pod-0f1e2d3c-1111-2222-3333-444455556666"},
		{"/kubepods.slice/kubepods-pod0f1e2d3c_1111_2222_3333_444455556666.slice/"
		 "crio-" ID ".scope",
		 "pod-0f1e2d3c-1111-2222-3333-444455556666"},
		{"/kubepods/besteffort/pod0f1e2d3c-1111-2222-3333-444455556666/" ID,
		 "pod-0f1e2d3c-1111-2222-3333-444455556666"},
		{"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod0f1e2d3c.slice/"
		 "cri-containerd-" ID ".scope",
		 "cri-containerd-0123456789ab"},
		/* none of these forms */
		{"/podman", "podman"},
		{"/my group/a\"b", "my group/a\"b"},
		{"/docker/short", "docker/short"},
		{"/x-0123456789abcdef.scope", "x-0123456789abcdef.scope"},
	};
	char name[GROUP_NAME_MAX];

	for_each_case(c, cases)
		assert_string_equal(group_name__of_cgroup(name, c->path), c->name);
}

TEST(long_cgroup_paths_are_cut)
{
	char path[4096], name[GROUP_NAME_MAX];

	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(strlen(group_name__of_cgroup(name, path)), GROUP_NAME_MAX - 1);
	strcpy(path + sizeof(path) - 10, ".service");
	assert_int_equal(strlen(group_name__of_cgroup(name, path)), GROUP_NAME_MAX - 1);
}
