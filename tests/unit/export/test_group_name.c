/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroup paths recorded on machines with each runtime, and the names of their groups. */
#include <string.h>

#include "base/printable.h"
#include "export/group_name.h"
#include "support/test.h"

#define UID "0f1e2d3c-1111-2222-3333-444455556666"
#define ID  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

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
		 "user@1000.service/app-x.service"},
		{"/user.slice/user-1000.slice/user@1000.service",
		 "/user.slice/user-1000.slice/user@1000.service"},
		{"/init.scope", "init.scope"},
		/* systemd driver */
		{"/system.slice/docker-" ID ".scope", "docker-" ID},
		{"/system.slice/cri-containerd-" ID ".scope", "cri-containerd-" ID},
		{"/machine.slice/libpod-" ID ".scope", "libpod-" ID},
		{"/machine.slice/libpod-" ID ".scope/container", "libpod-" ID},
		{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
		 "user@1000.service/libpod-" ID},
		/* cgroupfs driver */
		{"/docker/" ID, "docker-" ID},
		{"/docker/" ID "/nested", "docker-" ID},
		{"/libpod_parent/libpod-" ID, "libpod-" ID},
		/* kubelet: systemd and cgroupfs driver */
		{"/kubepods.slice/kubepods-burstable.slice/"
		 "kubepods-burstable-pod0f1e2d3c_1111_2222_3333_444455556666.slice/"
		 "cri-containerd-" ID ".scope",
		 "pod-" UID "/" ID},
		{"/kubepods.slice/kubepods-pod0f1e2d3c_1111_2222_3333_444455556666.slice/"
		 "crio-" ID ".scope/nested",
		 "pod-" UID "/" ID},
		{"/kubepods/besteffort/pod" UID "/" ID, "pod-" UID "/" ID},
		{"/kubepods/besteffort/pod" UID, "pod-" UID},
		{"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod0f1e2d3c.slice/"
		 "cri-containerd-" ID ".scope",
		 "pod-0f1e2d3c/" ID},
		/* below a container or a user: no pod of this machine */
		{"/lxc.payload/kubepods/pod0f1e2d3c/" ID, "lxc.payload/kubepods/pod0f1e2d3c-" ID},
		{"/user.slice/user-1000.slice/user@1000.service/kubepods.slice/"
		 "kubepods-pod0f1e2d3c_1111_2222_3333_444455556666.slice/"
		 "crio-" ID ".scope",
		 "user@1000.service/crio-" ID},
		/* none of these forms */
		{"/podman", "/podman"},
		{"/my group/a\"b", "/my group/a\"b"},
		{"/docker/short", "/docker/short"},
		{"/x-0123456789abcdef.scope", "x-0123456789abcdef.scope"},
	};
	char name[GROUP_NAME_MAX];

	for_each_case(c, cases)
		assert_string_equal(group_name__of_cgroup(name, c->path), c->name);
}

TEST(different_cgroups_have_different_names)
{
	static const char *const pairs[][2] = {
		{"/system.slice/nginx.service",
		 "/user.slice/user-1000.slice/user@1000.service/app.slice/nginx.service"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/nginx.service",
		 "/user.slice/user-1001.slice/user@1001.service/app.slice/nginx.service"},
		{"/init.scope", "/user.slice/user-1000.slice/user@1000.service/init.scope"},
		{"/system.slice/nginx.service", "/lxc.payload.web/system.slice/nginx.service"},
		{"/docker/" ID,
		 "/docker/0123456789abffff0123456789abcdef0123456789abcdef0123456789abcdef"},
		{"/docker/" ID,
		 "/user.slice/user-1000.slice/user@1000.service/docker-" ID ".scope"},
		{"/", "/root"},
		{"/other", "other"},
		{"/a\x01", "/a\x02"},
		{"/a\x01", "/a\\x01"},
		{"/a\xff", "/a\xfe"},
		{"/a\n", "/a\\n"},
	};
	char first[GROUP_NAME_MAX], second[GROUP_NAME_MAX];

	for_each_case(pair, pairs) {
		group_name__of_cgroup(first, (*pair)[0]);
		group_name__of_cgroup(second, (*pair)[1]);
		assert_string_not_equal(first, second);
	}
	assert_string_equal(group_name__of_cgroup(first, "/a\x01\\\xc3\xa4"),
			    "/a\\x01\\x5c\xc3\xa4");
}

TEST(containers_of_pods_are_named_by_their_name_or_else_their_id)
{
	static const struct pod_id pod = {.uid = UID}, container = {.uid = UID, .container = ID};
	char name[GROUP_NAME_MAX], other[GROUP_NAME_MAX], longest[POD_NAME_MAX];

	assert_string_equal(group_name__of_pod(name, &pod, ""), "pod-" UID);
	assert_string_equal(group_name__of_pod(name, &container, ""), "pod-" UID "/" ID);
	assert_string_equal(group_name__of_pod(name, &container, "nginx"), "pod-" UID "/nginx");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	group_name__of_pod(name, &container, longest);
	assert_in_range(strlen(name), 100, GROUP_NAME_MAX - 1);
	longest[200] = 'y';
	assert_string_not_equal(group_name__of_pod(other, &container, longest), name);
}

TEST(process_names_are_no_reserved_words)
{
	char name[GROUP_NAME_MAX];

	assert_string_equal(group_name__of_comm(name, "nginx", true), "nginx");
	assert_string_equal(group_name__of_comm(name, "", false), "unknown");
	assert_string_equal(group_name__of_comm(name, "", true), "\\x00");
	assert_string_equal(group_name__of_comm(name, "other", true), "\\x6fther");
	assert_string_equal(group_name__of_comm(name, "unknown", true), "\\x75nknown");
	assert_string_equal(group_name__of_comm(name, "\\x6fther", true), "\\x5cx6fther");
}

TEST(long_cgroup_paths_are_cut_and_stay_different)
{
	char path[4096], name[GROUP_NAME_MAX], other[GROUP_NAME_MAX];

	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_in_range(strlen(group_name__of_cgroup(name, path)), 120, GROUP_NAME_MAX - 1);
	path[4000] = 'y';
	assert_in_range(strlen(group_name__of_cgroup(other, path)), 120, GROUP_NAME_MAX - 1);
	assert_string_not_equal(name, other);
	/* Never within a character or an escape. */
	for (size_t i = 100; i < 140; i++) {
		memset(path, 'x', sizeof(path));
		strcpy(path + i,
		       "\xc3\xa4\x01\xc3\xa4 and more that makes the name too long for it");
		path[0] = '/';
		group_name__of_cgroup(name, path);
		for (const char *c = name; *c; c += printable__length(c))
			assert_int_not_equal(printable__length(c), 0);
	}
}
