# torchline_options: what every target of the project is compiled with. Nothing here is global.
add_library(torchline_options INTERFACE)
target_compile_features(torchline_options INTERFACE cxx_std_20)
target_compile_options(torchline_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wconversion
    $<$<BOOL:${TORCHLINE_WERROR}>:-Werror>)
if(TORCHLINE_SANITIZE)
    list(JOIN TORCHLINE_SANITIZE "," sanitizers)
    target_compile_options(torchline_options INTERFACE -fsanitize=${sanitizers} -fno-omit-frame-pointer)
    if("thread" IN_LIST TORCHLINE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # It does not follow fences; what they order here is read again and compared.
        target_compile_options(torchline_options INTERFACE -Wno-tsan)
    endif()
    if("undefined" IN_LIST TORCHLINE_SANITIZE)
        target_compile_options(torchline_options INTERFACE -fno-sanitize-recover=undefined)
    endif()
    target_link_options(torchline_options INTERFACE -fsanitize=${sanitizers})
endif()
target_compile_definitions(torchline_options INTERFACE TORCHLINE_VERSION="${PROJECT_VERSION}")

# moc of Qt 6.4 cannot parse <concepts> of libstdc++ 12, nor <compare> of 13 without it: it skips what their guards close.
set(CMAKE_AUTOMOC_MOC_OPTIONS -D_GLIBCXX_CONCEPTS -D_COMPARE)

# torchline_qt_options: the same, for targets that use Qt.
add_library(torchline_qt_options INTERFACE)
target_link_libraries(torchline_qt_options INTERFACE torchline_options)
target_compile_definitions(torchline_qt_options INTERFACE
    QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH QT_USE_QSTRINGBUILDER
    QT_DISABLE_DEPRECATED_BEFORE=0x060400)

# torchline_core_library(NAME SOURCES ... DEPENDS ...): one static library per folder of core, included as "folder/header.h".
function(torchline_core_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
    add_library(torchline_${name} STATIC ${arg_SOURCES})
    target_include_directories(torchline_${name} PUBLIC "${PROJECT_SOURCE_DIR}/core")
    target_link_libraries(torchline_${name} PUBLIC ${arg_DEPENDS} PRIVATE torchline_options ${arg_PRIVATE_DEPENDS})
endfunction()

# torchline_widget_library(NAME SOURCES ... DEPENDS ...): the same for widgets, with Qt and AUTOMOC.
function(torchline_widget_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
    add_library(torchline_${name} STATIC ${arg_SOURCES})
    set_target_properties(torchline_${name} PROPERTIES AUTOMOC ON)
    target_include_directories(torchline_${name} PUBLIC "${PROJECT_SOURCE_DIR}/widgets" "${PROJECT_SOURCE_DIR}/core")
    target_link_libraries(torchline_${name} PUBLIC Qt6::Widgets ${arg_DEPENDS} PRIVATE torchline_qt_options)
endfunction()
