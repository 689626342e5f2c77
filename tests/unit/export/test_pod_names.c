/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of pods, in trees as the kubelet makes them, with both cgroup drivers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/group_name.h"
#include "support/test.h"

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID   "0f1e2d3c-1111-2222-3333-444455556666"
#define SLICE "kubepods-burstable-pod0f1e2d3c_1111_2222_3333_444455556666.slice"

TEST(a_cgroup_path_gives_pod_and_container)
{
	static const struct {
		const char *path;
		bool found;
		const char *uid, *container;
	} cases[] = {
		{"/kubepods.slice/kubepods-burstable.slice/" SLICE "/cri-containerd-" ID ".scope",
		 true, UID, ID},
		{"/kubepods.slice/kubepods-burstable.slice/" SLICE "/crio-" ID ".scope/nested",
		 true, UID, ID},
		{"/kubepods.slice/kubepods-burstable.slice/" SLICE, true, UID, ""},
		{"/kubepods/besteffort/pod" UID "/" ID, true, UID, ID},
		{"/kubepods/pod0123456789abcdef0123456789abcdef/" ID, true,
		 "0123456789abcdef0123456789abcdef", ID},
		/* a node within a container */
		{"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod0f1e2d3c.slice/"
		 "cri-containerd-" ID ".scope",
		 true, "0f1e2d3c", ID},
		{"/kubepods/besteffort/pod" UID "/short", true, UID, ""},
		{"/system.slice/pod" UID, false, "", ""},
		/* users and containers may make any cgroup below their own */
		{"/user.slice/user-1000.slice/user@1000.service/kubepods/pod" UID "/" ID, false, "",
		 ""},
		{"/lxc.payload.x/kubepods.slice/" SLICE, false, "", ""},
		{"/kubepods.slice/x.service/" SLICE, false, "", ""},
		{"/kubepods/podNOT-HEX/" ID, false, "", ""},
		{"/kubepods.slice/kubepods-burstable.slice", false, "", ""},
		{"/", false, "", ""},
		{"", false, "", ""},
	};
	struct pod_id id;

	for_each_case(c, cases) {
		assert_int_equal(pod_id__of_cgroup(c->path, &id), c->found);
		if (!c->found)
			continue;
		assert_string_equal(id.uid, c->uid);
		assert_string_equal(id.container, c->container);
	}
}

static char root[64];

static void make(const char *path)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	assert_int_equal(mkdir(whole, 0755), 0);
}

static int make_tree(void **state)
{
	(void)state;
	strcpy(root, "/tmp/pod_names.XXXXXX");
	assert_non_null(mkdtemp(root));
	make("/var");
	make("/var/log");
	return 0;
}

static int remove_tree(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* The kubelet's links point into /var/log/pods; only their names matter. */
static void link_log(const char *name)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s/var/log/containers/%s", root, name);
	assert_int_equal(symlink("/nowhere", whole), 0);
}

static void find(const char *uid, const char *container, const char *namespace, const char *pod,
		 const char *name)
{
	struct pod_names names;
	struct pod_id id = {0};

	strcpy(id.uid, uid);
	strcpy(id.container, container);
	assert_int_equal(pod_names__find(root, &id, &names), pod[0] != '\0');
	assert_string_equal(names.namespace, namespace);
	assert_string_equal(names.pod, pod);
	assert_string_equal(names.container, name);
}

TEST_WITH(names_of_pods_and_containers_are_found, make_tree, remove_tree)
{
	find(UID, ID, "", "", "");
	make("/var/log/pods");
	make("/var/log/pods/shop_web-0_" UID);
	make("/var/log/pods/other_web-0_0f1e2d3c-1111-2222-3333-444455556667");
	find(UID, ID, "shop", "web-0", "");
	make("/var/log/containers");
	link_log("web-0_other_nginx-" OTHER ".log");
	find(UID, ID, "shop", "web-0", "");
	link_log("web-0_shop_nginx-proxy.v2-" ID ".log");
	find(UID, ID, "shop", "web-0", "nginx-proxy.v2");
	/* equal names in two namespaces */
	find("", OTHER, "other", "web-0", "nginx");
	find(UID, "", "shop", "web-0", "");
	find("unknown", "", "", "", "");
}

#define TEN  "abcdefghij"
#define LONG TEN TEN TEN TEN TEN TEN

/* The kubelet cuts the name of a link to 251 bytes and ".log": the id is not whole then. */
TEST_WITH(container_whose_link_has_no_room_for_its_id_has_no_name, make_tree, remove_tree)
{
	char name[512];

	make("/var/log/pods");
	make("/var/log/containers");
	make("/var/log/pods/shop_web-0_" UID);
	snprintf(name, sizeof(name), "%.251s.log", LONG LONG LONG "_shop_" TEN "-" ID);
	link_log(name);
	find(UID, ID, "shop", "web-0", "");
}

TEST_WITH(names_that_no_kubelet_writes_are_ignored, make_tree, remove_tree)
{
	make("/var/log/pods");
	make("/var/log/containers");
	make("/var/log/pods/a_b_c_" UID);
	make("/var/log/pods/_b_" UID);
	make("/var/log/pods/Upper_b_" UID);
	make("/var/log/pods/a\"}_b_" UID);
	link_log("a\n_b_c-" ID ".log");
	link_log("a_b-" ID ".log");
	link_log("-" ID ".log");
	link_log(ID ".log");
	link_log("a_b_c-" ID ".logs");
	find(UID, ID, "", "", "");
}
